package kaka.partition;

import java.io.IOException;
import kaka.log.PartitionLog;
import kaka.partition.PartitionActor.Append;
import kaka.partition.PartitionActor.EndTransaction;

/**
 * How a partition's log takes what it is asked for: numbered and staged one by one as it comes, made durable together, then shown to
 * readers and acknowledged. Has the partition's actor, which opens and closes the log, and knows what its failure means.
 */
final class GroupCommit {
  private final PartitionSettings settings;
  private final TransactionGate gate;
  private final PendingAppends pending;
  private final Runnable commitSoon;
  private final Runnable syncLater;

  /**
   * @param commitSoon something is pending, and nothing was: {@link #commit} is to come behind what waits already, once
   * @param syncLater something is written that is not synced: a {@link PartitionLog#flush} is to come after the fsync interval
   */
  GroupCommit(PartitionHandle handle, PartitionSettings settings, Runnable commitSoon, Runnable syncLater) {
    this.settings = settings;
    this.gate = new TransactionGate(handle.id(), settings.transactions());
    this.pending = new PendingAppends(handle.counts(), settings.metrics());
    this.commitSoon = commitSoon;
    this.syncLater = syncLater;
  }

  /** @throws IOException if the log failed by it: then it is not pending, and not answered */
  void append(PartitionLog log, Append append) throws IOException {
    PendingAppend staged;
    try {
      staged = PendingAppend.stage(log, append, gate, settings.metrics());
    } catch (RuntimeException e) { // a bug: the actor ends by it
      append.charge().release();
      throw e;
    }
    add(staged);
  }

  /** @throws IOException as {@link #append} */
  void end(PartitionLog log, EndTransaction end) throws IOException {
    add(PendingMarker.stage(log, end));
  }

  private void add(PendingReply staged) {
    if (pending.isEmpty()) {
      commitSoon.run();
    }
    pending.add(staged);
  }

  /**
   * The log makes everything pending durable (in the interval mode: writes it, unless a transaction ends), then it is shown and acked.
   *
   * @param show shows the log's new snapshot to everybody
   * @throws IOException if the log failed by it: then nobody was answered
   */
  void commit(PartitionLog log, Runnable show) throws IOException {
    long startNs = System.nanoTime();
    if (settings.fsyncInterval().isZero() || pending.isDurable()) {
      log.flush();
    } else {
      log.write();
      if (log.hasUnsynced()) {
        syncLater.run();
      }
    }
    show.run();
    pending.acknowledge(startNs, log.lastWriteNs(), log.lastSyncNs());
  }

  /** The commit will not be: answers those who wait for it. */
  void refuse(Refusal reason) {
    pending.refuse(reason);
  }
}
