package kaka.cli;

import java.io.PrintStream;
import java.util.function.Supplier;

/** One line on a terminal that is written again and again; nothing where there is no terminal. */
final class Progress implements AutoCloseable {
  private static final long INTERVAL_MS = 250;
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream terminal;
  private final Supplier<String> line;
  private final Thread thread;
  private boolean isOver;
  private boolean isShown;

  private Progress(PrintStream terminal, Supplier<String> line) {
    this.terminal = terminal;
    this.line = line;
    this.thread = new Thread(this::run, "kaka-progress");
    thread.setDaemon(true);
  }

  /** @param line what to show, asked for four times a second, on another thread */
  static Progress start(Streams streams, Supplier<String> line) {
    Progress progress = new Progress(streams.err(), line);
    if (streams.isErrTerminal()) {
      progress.thread.start();
    }
    return progress;
  }

  /** A bar and how many bytes of all are done. */
  static String bar(long doneBytes, long totalBytes) {
    long percent = totalBytes == 0 ? 100 : Math.min(100, doneBytes * 100 / totalBytes);
    int filled = (int) percent / 5;
    return "[" + "#".repeat(filled) + " ".repeat(20 - filled) + "] " + percent + " %  " + Amounts.bytes(doneBytes) + " of "
        + Amounts.bytes(totalBytes);
  }

  private synchronized void run() {
    try {
      wait(INTERVAL_MS); // what is done by then needs no progress line
      while (!isOver) {
        terminal.print(CLEAR + line.get());
        terminal.flush();
        isShown = true;
        wait(INTERVAL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes the line away. */
  @Override
  public synchronized void close() {
    if (isShown && !isOver) {
      terminal.print(CLEAR);
      terminal.flush();
    }
    isOver = true;
    notifyAll();
  }
}
