package kaka.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A command's standard streams, and how it is asked to stop.
 *
 * @param in bytes, never decoded
 * @param out bytes; unbuffered, and unlike {@link System#out} it tells of errors
 * @param err lines for people
 * @param onStopSignal says what to run, on another thread, when SIGINT or SIGTERM comes
 */
record Streams(
    InputStream in,
    OutputStream out,
    PrintStream err,
    boolean isOutTerminal,
    boolean isErrTerminal,
    Consumer<Runnable> onStopSignal) {
  /** The process's own. */
  static Streams ofProcess() {
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    return new Streams(System.in, out, System.err, isTerminal(1), isTerminal(2), StopSignals::handle);
  }

  /** Whether a descriptor is a terminal, where the system tells: Java 17 knows only of in and out together. */
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** One line about what went wrong. */
  void complain(String what) {
    err.println("kaka: " + what);
  }
}
