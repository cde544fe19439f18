package kaka.cli;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * SIGTERM and SIGINT: the first asks for a graceful stop, the second ends the process at once with exit code 1. Handled
 * here, because the JVM's own handling would end with 143 or 130 and leave no way to tell a second signal.
 *
 * <p>Through reflection, because javac warns about {@code sun.misc.Signal} and the warning cannot be turned off; the module
 * jdk.unsupported keeps it for want of another API (JEP 260).
 */
final class StopSignals {
  private StopSignals() {}

  /** @param stop run on a thread of its own, once */
  static void handle(Runnable stop) {
    AtomicInteger count = new AtomicInteger();
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object onSignal = Proxy.newProxyInstance(StopSignals.class.getClassLoader(), new Class<?>[] {handler},
          (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
              return method.getName().equals("equals") ? proxy == arguments[0] : (Object) "StopSignals".hashCode();
            }
            if (count.getAndIncrement() == 0) {
              stop.run();
            } else {
              Runtime.getRuntime().halt(ExitCode.FAILED);
            }
            return null;
          });
      for (String name : new String[] {"TERM", "INT"}) {
        Object one = signal.getConstructor(String.class).newInstance(name);
        signal.getMethod("handle", signal, handler).invoke(null, one, onSignal);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM has no sun.misc.Signal", e);
    }
  }
}
