package kaka.connection;

import kaka.partition.MemoryBudget;

/**
 * Where one connection has those of its batches checked, and large frames made, that would keep its thread from others for too long.
 * One request's are at a time: while they are, nothing more of the connection is to be taken, so that batches come to their partitions in the order of
 * the requests. On the connection's thread alone.
 */
public final class Checks {
  /** Up to so many bytes that are not compressed are checked on the connection's thread: a millisecond or two. */
  public static final int LIGHT_BYTES = 1 << 20;

  /** Who waits for what came of a check. */
  @FunctionalInterface
  public interface Receiver<T> {
    /**
     * On the connection's thread; not called if it was {@link #leave left}.
     *
     * @param chargedBytes what is charged for the request and for the result, the receiver's from now on
     */
    void checked(T result, long chargedBytes);
  }

  private final Connection connection;
  private PendingCheck<?> pending;

  /** The last one was a long one: those of one client are mostly alike, and need not find it out again. */
  private boolean isLengthy;

  public Checks(Connection connection) {
    this.connection = connection;
  }

  /** Whether nothing more may be taken before a check is done. */
  public boolean isBusy() {
    return pending != null;
  }

  /**
   * Has a request's batches checked; only if no other request's are.
   *
   * @param chargedBytes of the request, charged to the memory budget: given back here if it is left
   */
  public <T> void start(BatchCheck<T> check, long chargedBytes, Receiver<T> receiver) {
    start(check, chargedBytes, isLengthy || chargedBytes > CheckThreads.BRIEF_BYTES, receiver);
  }

  /** As {@link #start}, of what is known to take long. */
  <T> void startLengthy(BatchCheck<T> check, long chargedBytes, Receiver<T> receiver) {
    start(check, chargedBytes, true, receiver);
  }

  private <T> void start(BatchCheck<T> check, long chargedBytes, boolean lengthy, Receiver<T> receiver) {
    if (pending != null) {
      throw new IllegalStateException("another check is not done");
    }
    ConnectionServices services = connection.services();
    MemoryBudget memory = services.memory();
    PendingCheck<T> started =
        new PendingCheck<>(
            check, chargedBytes, memory, services.config().maxUnpackedBytes(), services.checks(), done -> connection.tell(() -> onDone(done, receiver)));
    pending = started;
    started.start(lengthy);
  }

  private <T> void onDone(PendingCheck<T> done, Receiver<T> receiver) {
    if (done != pending) {
      return; // left while this was on its way
    }
    pending = null;
    isLengthy = done.workedBytes() == 0 ? isLengthy : done.workedBytes() > CheckThreads.BRIEF_BYTES;
    done.take(receiver);
  }

  /** Nobody waits for what would come of the one that is not done: the connection has ended, or takes nothing more. */
  void leave() {
    if (pending != null) {
      pending.leave();
      pending = null;
    }
  }
}
