package kaka.partition;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.log.PartitionLog;
import kaka.log.ProducerCheck;
import kaka.metrics.StorageMetrics;
import kaka.partition.PartitionReply.BatchOutcome;
import kaka.record.RecordBatch;

/**
 * The batches of one append while they wait for their commit. A batch that was stored before waits with the others: its
 * original may be in the very commit that is pending, and is acknowledged no earlier.
 */
final class PendingAppend implements PendingReply {
  private final MemoryCharge charge;
  private final long correlationId;
  private final ActorRef<PartitionReply> replyTo;
  private final List<Long> baseOffsets;
  private final StorageMetrics metrics;
  private final long sentNs;
  private final int askedCount;
  private long recordCount;
  private long sizeBytes;
  private int batchCount;

  /** All so far, once one was not stored; null until then, which is the rule. */
  private List<BatchOutcome> outcomes;

  private PendingAppend(PartitionActor.Append append, StorageMetrics metrics) {
    this.metrics = metrics;
    this.sentNs = append.sentNs();
    this.askedCount = append.batches().size();
    this.charge = append.charge();
    this.correlationId = append.correlationId();
    this.replyTo = append.replyTo();
    this.baseOffsets = new ArrayList<>(append.batches().size());
  }

  /** Bytes of all its batches. */
  static long sizeOf(PartitionActor.Append append) {
    long bytes = 0;
    for (RecordBatch batch : append.batches()) {
      bytes += batch.sizeBytes();
    }
    return bytes;
  }

  /** Has {@code log} number and stage what is to be stored; not durable before its next flush. */
  static PendingAppend stage(
      PartitionLog log, PartitionActor.Append append, TransactionGate gate, StorageMetrics metrics) throws IOException {
    PendingAppend pending = new PendingAppend(append, metrics);
    for (RecordBatch batch : append.batches()) {
      if (batch.producerId() < 0) {
        pending.store(log, batch);
      } else {
        pending.stageNumbered(log, batch, gate);
      }
    }
    return pending;
  }

  private void stageNumbered(PartitionLog log, RecordBatch batch, TransactionGate gate) throws IOException {
    ProducerCheck check = log.check(batch);
    if (check instanceof ProducerCheck.Duplicate duplicate) {
      stored(duplicate.baseOffset());
    } else if (check instanceof ProducerCheck.Refused refused) {
      notStored(refusalOf(refused.reason()), refused.detail());
    } else {
      Optional<Refusal> shut = batch.isTransactional() ? gate.refuses(log, batch) : Optional.empty();
      if (shut.isPresent()) {
        notStored(shut.get(), "producer " + batch.producerId() + " has not added the partition to a transaction");
      } else {
        store(log, batch);
      }
    }
  }

  private void store(PartitionLog log, RecordBatch batch) throws IOException {
    stored(log.append(batch));
    recordCount += batch.recordCount();
    sizeBytes += batch.sizeBytes();
    batchCount++;
  }

  /** When it was sent, of {@link System#nanoTime}. */
  long sentNs() {
    return sentNs;
  }

  /** Of the batches that this append stores, not of those that were there. */
  long recordCount() {
    return recordCount;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  int batchCount() {
    return batchCount;
  }

  private void stored(long baseOffset) {
    if (outcomes == null) {
      baseOffsets.add(baseOffset);
    } else {
      outcomes.add(new PartitionReply.Stored(baseOffset));
    }
  }

  private void notStored(Refusal reason, String detail) {
    if (outcomes == null) {
      outcomes = new ArrayList<>();
      baseOffsets.forEach(baseOffset -> outcomes.add(new PartitionReply.Stored(baseOffset)));
    }
    outcomes.add(new PartitionReply.NotStored(reason, detail));
    metrics.refused(reason.label(), 1);
  }

  private static Refusal refusalOf(ProducerCheck.Reason reason) {
    return switch (reason) {
      case OUT_OF_ORDER -> Refusal.OUT_OF_ORDER_SEQUENCE;
      case FENCED -> Refusal.FENCED_PRODUCER;
      case UNKNOWN_PRODUCER -> Refusal.UNKNOWN_PRODUCER;
      case INVALID_TRANSACTION -> Refusal.INVALID_TRANSACTION;
      case TOO_MANY_TRANSACTIONS -> Refusal.TOO_MANY_TRANSACTIONS;
    };
  }

  @Override
  public void acknowledge() {
    charge.release();
    replyTo.tell(
        outcomes == null
            ? new PartitionReply.Appended(correlationId, baseOffsets)
            : new PartitionReply.PartlyAppended(correlationId, outcomes));
  }

  @Override
  public void refuse(Refusal reason) {
    charge.release();
    metrics.refused(reason.label(), askedCount);
    replyTo.tell(new PartitionReply.Refused(correlationId, reason));
  }
}
