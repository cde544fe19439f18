package kaka.connection;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import kaka.partition.MemoryBudget;
import kaka.record.Allowance;

/**
 * One check on its way: it waits for a thread, runs, is done, and its result is taken; or it is left at any of these by its
 * connection's end. Its charge is given back by whoever has it last: the check threads if it is left while it runs, for until then
 * the memory is in use.
 */
final class PendingCheck<T> {
  private enum State {
    WAITING,
    RUNNING,
    DONE,
    OVER
  }

  /** Thrown out of a check that has to end here for now, or for good. */
  private static final class BrokenOffException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BrokenOffException() {
      super("", null, false, false);
    }
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final MemoryBudget memory;
  private final long maxUnpackedBytes;
  private final CheckThreads threads;
  private final long chargedBytes;

  // Who has moved the state has these; the other sides see them by the next move.
  private BatchCheck<T> check;
  private Consumer<PendingCheck<T>> whenDone;
  private boolean isLengthy;
  private long workedBytes;
  private long heldBytes; // beside what it was charged when it began
  private T result;
  private Throwable bug;

  /** @param whenDone called on a check thread, or on that of {@link #start} where it cannot be, unless it is left before */
  PendingCheck(
      BatchCheck<T> check,
      long chargedBytes,
      MemoryBudget memory,
      long maxUnpackedBytes,
      CheckThreads threads,
      Consumer<PendingCheck<T>> whenDone) {
    this.check = check;
    this.chargedBytes = chargedBytes;
    this.memory = memory;
    this.maxUnpackedBytes = maxUnpackedBytes;
    this.threads = threads;
    this.whenDone = whenDone;
  }

  /** @param lengthy whether it is known to take long */
  void start(boolean lengthy) {
    isLengthy = lengthy;
    (lengthy ? threads.lengthy() : threads.brief()).execute(this::run);
  }

  /** What it was told of; once it is done. */
  long workedBytes() {
    return workedBytes;
  }

  // ---------------------------------------------------------------- on a check thread

  private void run() {
    if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
      return; // left, and given back
    }
    try {
      if (work()) {
        result = check.result(new Turn());
      } else if (!isLeft()) {
        goOnLater();
        return;
      }
    } catch (Throwable e) { // handed on, whatever it is: who waits must not wait for ever
      bug = e;
    }
    check = null;
    Consumer<PendingCheck<T>> told = whenDone; // it can be taken, or left, from the next line on
    if (state.compareAndSet(State.RUNNING, State.DONE)) {
      told.accept(this);
    } else {
      drop();
    }
  }

  /** Returns false if there is more to do, or nothing any more. */
  private boolean work() {
    Turn turn = new Turn();
    try {
      while (check.next(turn)) {
        if (turn.isOver()) {
          return false;
        }
      }
      return true;
    } catch (BrokenOffException e) {
      return false;
    } finally {
      workedBytes += turn.bytes;
    }
  }

  private void goOnLater() {
    isLengthy = true;
    if (state.compareAndSet(State.RUNNING, State.WAITING)) {
      threads.lengthy().execute(this::run);
    } else {
      drop();
    }
  }

  private boolean isLeft() {
    return state.get() == State.OVER;
  }

  /** What a check may do until it is another's turn: a brief one is broken off where it stands, a long one after its batch. */
  private final class Turn implements Allowance {
    private final boolean isEndless = isLengthy;
    private long bytes;

    boolean isOver() {
      return bytes > CheckThreads.BRIEF_BYTES || isLeft();
    }

    @Override
    public boolean tryReserve(long more) {
      boolean hasRoom = memory.tryReserve(more);
      heldBytes += hasRoom ? more : 0;
      return hasRoom;
    }

    @Override
    public void release(long less) {
      heldBytes -= less;
      memory.release(less);
    }

    @Override
    public long maxUnpackedBytes() {
      return maxUnpackedBytes;
    }

    @Override
    public void worked(long more) {
      bytes += more;
      if (isLeft() || !isEndless && bytes > CheckThreads.BRIEF_BYTES) {
        throw new BrokenOffException();
      }
    }
  }

  // ---------------------------------------------------------------- on the connection's thread

  /** Once it is done: gives the result and its charge to the receiver, or throws what the check has thrown. */
  void take(Checks.Receiver<T> receiver) {
    if (!state.compareAndSet(State.DONE, State.OVER)) {
      throw new IllegalStateException("a check that is " + state.get());
    }
    if (bug != null) {
      drop();
      if (bug instanceof VirtualMachineError fatal) {
        throw fatal; // not one connection's trouble
      }
      throw new IllegalStateException("a check failed", bug);
    }
    T taken = result;
    result = null;
    receiver.checked(taken, chargedBytes + heldBytes);
  }

  /** The connection has ended. */
  void leave() {
    State was = state.getAndSet(State.OVER);
    if (was == State.WAITING || was == State.DONE) {
      drop();
    }
  }

  /** By whoever has it last. It may stand in a queue for long yet, and must keep nothing of a connection there. */
  private void drop() {
    check = null;
    whenDone = null;
    result = null;
    memory.release(chargedBytes + heldBytes);
  }
}
