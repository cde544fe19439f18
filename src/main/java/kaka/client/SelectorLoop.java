package kaka.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one thread of a {@link KakaClient}: it waits for sockets, timers and tasks, and owns the state of everything that is
 * registered with it. Nothing that runs on it may block.
 *
 * <p>An unchecked exception in a task or handler is a bug of ours: the loop stops, and the crash handler is told why, so
 * that nobody waits for an answer that can no longer come.
 */
final class SelectorLoop implements Executor, AutoCloseable {
  /** What is told that a channel can go on; it is the attachment of the channel's key. */
  interface Handler {
    void ready(SelectionKey key);
  }

  /** One run of a task in the future; see {@link #schedule}. */
  final class Timer implements Comparable<Timer> {
    private final long atNanos;
    private final Runnable task;

    private Timer(long atNanos, Runnable task) {
      this.atNanos = atNanos;
      this.task = task;
    }

    /** It does not run any more; without effect once it has. On the loop's thread. */
    void cancel() {
      timers.remove(this);
    }

    @Override
    public int compareTo(Timer other) {
      return Long.signum(atNanos - other.atNanos); // nanoTime may wrap
    }
  }

  private static final int IO_BUFFER_BYTES = 256 * 1024;
  private static final int MAX_TASKS_PER_TURN = 10_000;

  private final Selector selector;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ByteBuffer readBuffer = ByteBuffer.allocate(IO_BUFFER_BYTES);
  private final ByteBuffer writeBuffer = ByteBuffer.allocateDirect(IO_BUFFER_BYTES);
  private volatile Runnable onStop = () -> {};
  private volatile boolean closing;
  private volatile boolean stopped;
  private volatile Throwable crash;

  SelectorLoop(String threadName) throws IOException {
    this.selector = Selector.open();
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @param onStop runs on it as the last thing, after {@link #close} and after a crash; see {@link #crash}
   */
  SelectorLoop start(Runnable onStop) {
    this.onStop = onStop;
    thread.start();
    return this;
  }

  /** What unexpectedly ended the loop, or null. */
  Throwable crash() {
    return crash;
  }

  boolean isLoopThread() {
    return Thread.currentThread() == thread;
  }

  /**
   * Runs {@code task} on the loop's thread, in the order of the calls.
   *
   * @throws RejectedExecutionException if the loop has ended or is about to
   */
  @Override
  public void execute(Runnable task) {
    if (closing || stopped) {
      throw new RejectedExecutionException("the client is closed");
    }
    tasks.add(task);
    wakeUp();
    if (stopped && tasks.remove(task)) { // it ended in between, and its last look at the queue may have missed this one
      throw new RejectedExecutionException("the client is closed");
    }
  }

  private void wakeUp() {
    if (!isLoopThread() && woken.compareAndSet(false, true)) {
      selector.wakeup();
    }
  }

  /** Runs {@code task} once, {@code delay} from now. On the loop's thread. */
  Timer schedule(Duration delay, Runnable task) {
    Timer timer = new Timer(System.nanoTime() + delay.toNanos(), task);
    timers.add(timer);
    return timer;
  }

  /** Registers a non-blocking channel. On the loop's thread. */
  SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
    return channel.register(selector, operations, handler);
  }

  /** What all connections read into, cleared and with an array; valid until the handler returns. */
  ByteBuffer readBuffer() {
    return readBuffer.clear();
  }

  /** What all connections write from: another one, because what was read can make its reader write. */
  ByteBuffer writeBuffer() {
    return writeBuffer.clear();
  }

  private void run() {
    try {
      while (!closing || !tasks.isEmpty()) {
        select();
        runTasks();
        runTimers();
      }
    } catch (Throwable e) {
      crash = e;
    } finally {
      stop();
    }
  }

  private void select() throws IOException {
    if (!tasks.isEmpty() || closing) {
      selector.selectNow();
    } else if (timers.isEmpty()) {
      selector.select();
    } else {
      long waitNanos = timers.peek().atNanos - System.nanoTime();
      if (waitNanos <= 0) {
        selector.selectNow();
      } else {
        selector.select(Math.max(1, (waitNanos + 999_999) / 1_000_000));
      }
    }
    woken.set(false); // before the tasks are looked at: one added from now on wakes the next select
    var selected = selector.selectedKeys();
    if (!selected.isEmpty()) {
      for (SelectionKey key : selected) {
        if (key.isValid()) {
          ((Handler) key.attachment()).ready(key);
        }
      }
      selected.clear();
    }
  }

  private void runTasks() {
    for (int i = 0; i < MAX_TASKS_PER_TURN; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      task.run();
    }
  }

  /** Runs what is due now: one that is scheduled meanwhile waits until sockets and tasks have had their turn. */
  private void runTimers() {
    long nowNanos = System.nanoTime();
    while (!timers.isEmpty() && timers.peek().atNanos - nowNanos < 0) {
      timers.poll().task.run();
    }
  }

  private void stop() {
    closing = true;
    try {
      onStop.run();
    } finally {
      stopped = true;
      runTasks(); // what was added meanwhile meets closed connections, and fails at once instead of never
      for (SelectionKey key : selector.keys()) {
        closeQuietly(key.channel());
      }
      closeQuietly(selector);
    }
  }

  /** Nothing depends on whether this works: the descriptor is given up either way. */
  static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // the kernel has released the descriptor even when close reports an error
    }
  }

  /** Runs the tasks already accepted, then ends the thread and waits for its end, except on that thread itself. */
  @Override
  public void close() {
    closing = true;
    selector.wakeup();
    boolean interrupted = false;
    while (!isLoopThread() && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
