package kaka.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import kaka.record.NoAllowanceException;

/**
 * A request whose answer is large, and read slice by slice on the fetch dispatcher, each slice when {@link AnswerMemory} has room
 * for it: one is read ahead of the socket; where memory is scarce, none. So a connection holds the slices of one answer, however
 * many are pipelined, for it starts when every earlier answer is out. Between two tasks others have the thread.
 *
 * @param <S> the answer
 */
public abstract class SlicedExchange<S extends SlicedAnswer> extends Exchange {
  private enum Reading {
    IDLE,
    BUSY,
    RELEASED
  }

  /** What one task on the fetch dispatcher came to. */
  private sealed interface TaskResult {}

  private record Slice(ByteBuffer bytes, boolean isLast) implements TaskResult {}

  private enum NoSlice implements TaskResult {
    /** It has read enough for one task, or nobody waits for it any more. */
    PAUSED,
    /** There is room for the next slice only when the socket has taken the last one. */
    LATER
  }

  /** Why there will be no slice. */
  protected enum Nothing implements TaskResult {
    /** Less is there than is worth it, and waiting was possible. */
    TOO_FEW_BYTES,
    /** Up to the end there is nothing that is a record. */
    NO_RECORDS,
    /** Not even for the smallest slice, or for what has to be known before the first one. */
    NO_MEMORY
  }

  private final Connection connection;
  private final AnswerMemory memory;
  private final AtomicReference<Reading> reading = new AtomicReference<>(Reading.IDLE);
  private volatile S answer;
  private boolean isReading; // a task's result has not come back yet
  private final AtomicReference<ByteBuffer> made = new AtomicReference<>(); // a slice, until its task's result is back; or null
  private ByteBuffer ready;
  private boolean lastIsReady;
  private boolean isDeferred; // until the last slice is with the kernel
  private ByteBuffer transit; // the last slice, while the socket may not have taken it, or null
  private long sentBytes;

  /** @param bodyBytes of the request */
  protected SlicedExchange(Connection connection, int bodyBytes) {
    super(bodyBytes);
    this.connection = connection;
    this.memory = new AnswerMemory(connection.services().slices());
  }

  // ---------------------------------------------------------------- what the answer is, and what becomes of it

  /** A slice of it is read. */
  protected abstract void onSlice(S answer, int sliceBytes);

  /** There is nothing to send; what was opened still is. */
  protected abstract void onNothing(Nothing reason);

  protected abstract void onReadFailed(Throwable failure);

  /** The answer is complete, all of it given to the socket. */
  protected abstract void onSent();

  /** Lets go of whatever is open for the answer: on the connection's thread while no task runs, or at the end of one, on the fetch dispatcher. */
  protected abstract void closeOpened();

  // ---------------------------------------------------------------- for the exchange, on the connection's thread

  protected final Connection connection() {
    return connection;
  }

  /** What {@link #read} has opened. */
  protected final Optional<S> answer() {
    return Optional.ofNullable(answer);
  }

  /** Asked by an answer for what it makes before its first slice. */
  protected final AnswerMemory memory() {
    return memory;
  }

  /** Whether a task runs, whose result is still to come. */
  protected final boolean isReading() {
    return isReading;
  }

  /** Bytes that were given to the socket. */
  protected final long sentBytes() {
    return sentBytes;
  }

  /**
   * Opens the answer and reads its first slice.
   *
   * @param open called on the fetch dispatcher, once there is room for it
   * @param leastBytes fewer are not worth it
   */
  protected final void read(Callable<S> open, long leastBytes) {
    run(
        () -> {
          if (!memory.begin()) {
            return Nothing.NO_MEMORY;
          }
          S opened = open.call();
          answer = opened;
          return opened.isWorth(leastBytes) ? nextSlice(opened, 0) : Nothing.TOO_FEW_BYTES;
        });
  }

  /** The whole answer, made elsewhere. */
  protected final void complete(byte[] frame) {
    ready = ByteBuffer.wrap(frame);
    lastIsReady = true;
  }

  /** Nothing is open or held any more; {@link #read} can begin anew. */
  protected final void letGo() {
    try {
      closeOpened();
    } finally {
      answer = null;
      memory.end();
    }
  }

  // ---------------------------------------------------------------- the loop

  private void readOn(int transitBytes) {
    S slices = answer;
    run(() -> nextSlice(slices, transitBytes));
  }

  /** One task. While it runs, the answer and its memory are its own: it lets go of them if the connection has ended. */
  private void run(Callable<TaskResult> task) {
    reading.set(Reading.BUSY);
    isReading = true;
    connection.read(
        () -> {
          try {
            return reading.get() == Reading.RELEASED ? NoSlice.PAUSED : task.call();
          } finally {
            if (!reading.compareAndSet(Reading.BUSY, Reading.IDLE)) {
              giveBackMade(); // nobody is told of it
              letGo();
            }
          }
        },
        this::onResult,
        this::onFailure);
  }

  /** @param transitBytes of the slice that the socket may not have taken yet */
  private TaskResult nextSlice(S slices, int transitBytes) throws IOException {
    int sliceBytes = memory.nextSlice(slices, transitBytes);
    if (sliceBytes == 0) {
      return NoSlice.LATER;
    }
    Optional<ByteBuffer> bytes = slices.next(sliceBytes);
    made.set(bytes.orElse(null)); // first: it is let go of then, whatever fails
    memory.settle(slices, transitBytes + bytes.map(ByteBuffer::capacity).orElse(0));
    if (bytes.isEmpty()) {
      return NoSlice.PAUSED;
    }
    if (slices.isNothing()) {
      giveBackMade();
      return Nothing.NO_RECORDS;
    }
    return new Slice(bytes.get(), slices.isExhausted());
  }

  private void onResult(TaskResult result) {
    isReading = false;
    if (result instanceof Slice slice) {
      if (made.getAndSet(null) == null) {
        return; // released meanwhile
      }
      ready = slice.bytes();
      lastIsReady = slice.isLast();
      onSlice(answer, ready.limit());
    } else if (result == NoSlice.PAUSED) {
      readOn(transitBytes()); // behind the tasks of others
    } else if (result == NoSlice.LATER) {
      isDeferred = true;
    } else {
      onNothing((Nothing) result);
    }
  }

  private void onFailure(Throwable failure) {
    isReading = false;
    if (sentBytes == 0 && failure instanceof NoAllowanceException) { // for what is made before the first slice
      onNothing(Nothing.NO_MEMORY);
    } else {
      onReadFailed(failure);
    }
  }

  @Override
  protected final boolean writeTo(AnswerBuffer out) {
    giveBackTransit(); // there is room: what went before is with the kernel
    if (ready == null) {
      if (isDeferred) {
        isDeferred = false;
        readOn(0);
      }
      return false;
    }
    if (!out.addSlice(ready)) {
      return false;
    }
    sentBytes += ready.limit();
    transit = ready;
    ready = null;
    if (lastIsReady) {
      onSent();
      return true;
    }
    if (memory.isScarce()) {
      isDeferred = true;
      memory.settle(answer, transitBytes());
    } else {
      readOn(transitBytes()); // one slice ahead of the socket
    }
    return false;
  }

  private int transitBytes() {
    return transit == null ? 0 : transit.capacity();
  }

  private void giveBackTransit() {
    if (transit != null) {
      ByteBuffer taken = transit;
      transit = null;
      giveBack(taken);
    }
  }

  private void giveBackMade() {
    ByteBuffer slice = made.getAndSet(null);
    if (slice != null) {
      giveBack(slice);
    }
  }

  private void giveBack(ByteBuffer slice) {
    connection.services().slices().buffers().giveBack(slice);
  }

  /** The kernel has all of the answer, or there is no socket any more. */
  @Override
  protected void release() {
    giveBackTransit();
    if (ready != null) {
      giveBack(ready);
      ready = null;
    }
    if (reading.getAndSet(Reading.RELEASED) == Reading.IDLE) {
      giveBackMade();
      letGo();
    }
  }
}
