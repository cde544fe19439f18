package kaka.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One thread that waits for sockets, timers and tasks, and owns the state of everything that is registered with it. Nothing that
 * runs on it may block.
 *
 * <p>An unchecked exception in a task or handler is a bug of ours. What becomes of the loop then is said where it is made: see
 * {@link #crashing} and {@link #goingOn}.
 */
public final class SelectorLoop implements Executor, AutoCloseable {
  /** What is told that a channel can go on; it is the attachment of the channel's key. */
  public interface Handler {
    void ready(SelectionKey key);
  }

  /** One run of a task in the future; see {@link #schedule}. */
  public final class Timer implements Comparable<Timer> {
    private final long atNanos;
    private final long number; // of those due at the same time the earlier made is the first
    private final Runnable task;

    private Timer(long atNanos, long number, Runnable task) {
      this.atNanos = atNanos;
      this.number = number;
      this.task = task;
    }

    /** It does not run any more; without effect once it has. On the loop's thread. */
    public void cancel() {
      timers.remove(this);
    }

    @Override
    public int compareTo(Timer other) {
      long later = atNanos - other.atNanos; // nanoTime may wrap
      return later == 0 ? Long.compare(number, other.number) : Long.signum(later);
    }
  }

  /** Between the tasks of this turn and those of the next. */
  private static final Runnable TURN = () -> {};

  private final Selector selector;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final TreeSet<Timer> timers = new TreeSet<>(); // thousands of connections cancel theirs
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ByteBuffer directBuffer;
  private final boolean goesOn;
  private long timerCount; // made so far
  private ByteBuffer heapBuffer; // made when it is needed
  private volatile Runnable onStop = () -> {};
  private volatile boolean closing;
  private volatile boolean stopped;
  private volatile Throwable crash;

  private SelectorLoop(ThreadFactory threads, int bufferBytes, boolean goesOn) throws IOException {
    this.selector = Selector.open();
    this.directBuffer = ByteBuffer.allocateDirect(bufferBytes);
    this.goesOn = goesOn;
    this.thread = threads.newThread(this::run);
  }

  /**
   * One that an unchecked exception ends: everything that is registered is closed, and {@link #crash} tells why, so that nobody
   * waits for an answer that can no longer come.
   *
   * @param bufferBytes of the two buffers that are lent to handlers, at least 1
   */
  public static SelectorLoop crashing(String threadName, int bufferBytes) throws IOException {
    ThreadFactory threads =
        loop -> {
          Thread thread = new Thread(loop, threadName);
          thread.setDaemon(true);
          return thread;
        };
    return new SelectorLoop(threads, bufferBytes, false);
  }

  /**
   * One that serves others, too: its thread's handler for uncaught exceptions is told, and the loop goes on. Only where the sockets
   * cannot be waited for any more it ends; the handler is told with an {@link InternalError}, for nothing that lives on the loop
   * will be served again.
   */
  public static SelectorLoop goingOn(ThreadFactory threads, int bufferBytes) throws IOException {
    return new SelectorLoop(threads, bufferBytes, true);
  }

  /**
   * Starts the thread.
   *
   * @param onStop runs on it as the last thing, after {@link #close} and after a crash; see {@link #crash}
   */
  public SelectorLoop start(Runnable onStop) {
    this.onStop = onStop;
    thread.start();
    return this;
  }

  /** What unexpectedly ended the loop, or null. */
  public Throwable crash() {
    return crash;
  }

  public boolean isLoopThread() {
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
      throw new RejectedExecutionException("the loop has ended");
    }
    tasks.add(task);
    wakeUp();
    if (stopped && tasks.remove(task)) { // it ended in between, and its last look at the queue may have missed this one
      throw new RejectedExecutionException("the loop has ended");
    }
  }

  private void wakeUp() {
    if (!isLoopThread() && woken.compareAndSet(false, true)) {
      selector.wakeup();
    }
  }

  /** Runs {@code task} once, {@code delay} from now. On the loop's thread. */
  public Timer schedule(Duration delay, Runnable task) {
    Timer timer = new Timer(System.nanoTime() + delay.toNanos(), timerCount++, task);
    timers.add(timer);
    return timer;
  }

  /** Registers a non-blocking channel. On the loop's thread. */
  public SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
    return channel.register(selector, operations, handler);
  }

  /** Of a channel that is {@link #register registered}, and open. On the loop's thread. */
  public SelectionKey keyOf(SelectableChannel channel) {
    return channel.keyFor(selector);
  }

  /** A buffer on the heap, cleared, with an array; valid until the handler or task that asked for it returns. */
  public ByteBuffer heapBuffer() {
    if (heapBuffer == null) {
      heapBuffer = ByteBuffer.allocate(directBuffer.capacity());
    }
    return heapBuffer.clear();
  }

  /**
   * A buffer outside the heap, cleared, which channels read and write without another copy: for one read, or one write, and valid
   * until the next call.
   */
  public ByteBuffer directBuffer() {
    return directBuffer.clear();
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
      if (goesOn && crash != null) {
        tellHandler(new InternalError("a selector's loop has ended", crash));
      }
    }
  }

  private void select() throws IOException {
    if (!tasks.isEmpty() || closing) {
      selector.selectNow();
    } else if (timers.isEmpty()) {
      selector.select();
    } else {
      long waitNanos = timers.first().atNanos - System.nanoTime();
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
          handle(key);
        }
      }
      selected.clear();
    }
  }

  /**
   * Those that are there now, and so all that came of the last look at the sockets: however many tasks make more of them, each
   * socket has its turn, and none that is ready is seen twice before what it caused has run.
   */
  private void runTasks() {
    if (tasks.isEmpty()) {
      return;
    }
    tasks.add(TURN);
    for (Runnable task = tasks.poll(); task != TURN; task = tasks.poll()) {
      run(task);
    }
  }

  private void handle(SelectionKey key) {
    try {
      ((Handler) key.attachment()).ready(key);
    } catch (Throwable e) {
      onUnexpected(e);
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      onUnexpected(e);
    }
  }

  private void onUnexpected(Throwable e) {
    if (!goesOn && e instanceof Error error) {
      throw error;
    }
    if (!goesOn) {
      throw (RuntimeException) e;
    }
    tellHandler(e);
  }

  private void tellHandler(Throwable e) {
    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
  }

  /** Runs what is due now: one that is scheduled meanwhile waits until sockets and tasks have had their turn. */
  private void runTimers() {
    long nowNanos = System.nanoTime();
    while (!timers.isEmpty() && timers.first().atNanos - nowNanos < 0) {
      run(timers.pollFirst().task);
    }
  }

  private void stop() {
    closing = true;
    try {
      onStop.run();
    } finally {
      stopped = true;
      try {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          run(task); // what was added meanwhile meets closed connections, and fails at once instead of never
        }
      } finally {
        closeAll();
      }
    }
  }

  private void closeAll() {
    if (selector.isOpen()) {
      for (SelectionKey key : selector.keys()) {
        closeQuietly(key.channel());
      }
      closeQuietly(selector);
    }
  }

  /** Nothing depends on whether this works: the descriptor is given up either way. */
  public static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // the kernel has released the descriptor even when close reports an error
    }
  }

  /** Takes no more tasks; the thread ends when it has run those already accepted. */
  public void shutdown() {
    closing = true;
    selector.wakeup();
  }

  /** Whether {@link #shutdown} was called, or the loop has ended otherwise. */
  public boolean isShutdown() {
    return closing;
  }

  /** Whether everything has run and is closed. */
  public boolean hasEnded() {
    return stopped && !thread.isAlive();
  }

  /** Waits for the thread's end, for so long at most. */
  public void awaitEnd(long timeoutMs) throws InterruptedException {
    thread.join(timeoutMs);
  }

  /** Runs the tasks already accepted, then ends the thread and waits for its end, except on that thread itself. */
  @Override
  public void close() {
    shutdown();
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
