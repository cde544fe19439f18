package kaka.cli;

import java.util.List;
import kaka.broker.Broker;

/** {@code kaka serve}, sent a SIGTERM at the very end of its start: what comes after must see it. */
public final class StoppedInItsStart {
  private StoppedInItsStart() {}

  public static void main(String[] args) {
    ServeCommand serve =
        new ServeCommand(
            config -> {
              Broker broker = Broker.start(config);
              terminateMyself();
              broker.whenTerminated().toCompletableFuture().join(); // the signal was handled
              return broker;
            });
    System.exit(serve.run(ServeArguments.ofPlain(List.of(args)).orElseThrow()));
  }

  private static void terminateMyself() {
    try {
      new ProcessBuilder("sh", "-c", "kill -TERM " + ProcessHandle.current().pid()).start().waitFor();
    } catch (java.io.IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
