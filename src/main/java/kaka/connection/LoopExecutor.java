package kaka.connection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import kaka.socket.SelectorLoop;

/** A selector's loop as an executor: what it is given runs on the loop's thread, between one look at the sockets and the next. */
final class LoopExecutor extends AbstractExecutorService {
  private static final ThreadLocal<SelectorLoop> CURRENT = new ThreadLocal<>();

  private final SelectorLoop loop;

  /** @param bufferBytes most that one read of a socket brings */
  LoopExecutor(ThreadFactory threads, int bufferBytes) {
    try {
      loop = SelectorLoop.goingOn(threads, bufferBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("no selector", e);
    }
    loop.execute(() -> CURRENT.set(loop));
    loop.start(() -> {});
  }

  /**
   * The loop on whose thread this is called.
   *
   * @throws IllegalStateException on any other thread
   */
  static SelectorLoop current() {
    SelectorLoop loop = CURRENT.get();
    if (loop == null) {
      throw new IllegalStateException(Thread.currentThread().getName() + " serves no sockets: use " + SocketDispatcher.NAME);
    }
    return loop;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public void shutdown() {
    loop.shutdown();
  }

  /** As {@link #shutdown}: tasks here are short, and none is given back. */
  @Override
  public List<Runnable> shutdownNow() {
    loop.shutdown();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return loop.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return loop.hasEnded();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    loop.awaitEnd(Math.max(1, unit.toMillis(timeout)));
    return loop.hasEnded();
  }
}
