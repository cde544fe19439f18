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
  /** What one call of the kernel moves at most: between the costs of a call and of memory that the processor's caches do not hold. */
  private static final int IO_BYTES = 256 << 10;

  private static final ThreadLocal<LoopExecutor> CURRENT = new ThreadLocal<>();

  private final SelectorLoop loop;
  private final int chunkBytes;

  /** @param chunkBytes of the chunks that connections keep */
  LoopExecutor(ThreadFactory threads, int chunkBytes) {
    this.chunkBytes = chunkBytes;
    try {
      loop = SelectorLoop.goingOn(threads, Math.max(chunkBytes, IO_BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException("no selector", e);
    }
    loop.execute(() -> CURRENT.set(this));
    loop.start(() -> {});
  }

  /**
   * The executor on whose thread this is called.
   *
   * @throws IllegalStateException on any other thread
   */
  static LoopExecutor current() {
    LoopExecutor current = CURRENT.get();
    if (current == null) {
      throw new IllegalStateException(Thread.currentThread().getName() + " serves no sockets: use " + SocketDispatcher.NAME);
    }
    return current;
  }

  SelectorLoop loop() {
    return loop;
  }

  /** What a connection here reads at a time, and keeps until it is used. */
  int chunkBytes() {
    return chunkBytes;
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
