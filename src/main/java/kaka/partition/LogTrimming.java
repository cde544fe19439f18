package kaka.partition;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.io.IOException;
import java.util.Optional;
import kaka.log.LogSnapshot;
import kaka.log.PartitionLog;
import kaka.log.RecordsDeletion;
import kaka.metrics.StorageMetrics;
import kaka.record.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes from the beginning of a partition's log: by retention, and because somebody asked for it. */
final class LogTrimming {
  private static final Logger LOG = LoggerFactory.getLogger(LogTrimming.class);

  private final TopicPartition partition;
  private final StorageMetrics metrics;
  private int segmentCountSeen; // after the last commit

  /** @param partition for log lines */
  LogTrimming(TopicPartition partition, StorageMetrics metrics) {
    this.partition = partition;
    this.metrics = metrics;
  }

  /** @param show shows the log's new snapshot to everybody; called if something goes */
  void deleteExpired(PartitionLog log, Runnable show) {
    LogSnapshot before = log.snapshot();
    try {
      if (log.deleteExpiredSegments(show) > 0) {
        countDeleted(before, log.snapshot());
      }
    } catch (IOException e) { // the log is as good as before, and the rest goes at the next open
      LOG.warn("expired segments not deleted partition={} cause={}", partition, e.toString());
    }
  }

  private void countDeleted(LogSnapshot before, LogSnapshot after) {
    metrics.deleted(before.segmentCount() - after.segmentCount(), before.sizeBytes() - after.sizeBytes());
  }

  /** After a commit. A flood rolls many times between two looks of the timer. */
  void deleteExpiredIfRolled(PartitionLog log, Runnable show) {
    if (log.snapshot().segmentCount() > segmentCountSeen) {
      deleteExpired(log, show);
    }
    segmentCountSeen = log.snapshot().segmentCount();
  }

  /**
   * Does it and answers.
   *
   * @param show as above
   * @throws IOException if the log failed by it; nobody was answered then. A log that takes appends still is not the worse for it
   */
  void deleteRecords(PartitionLog log, PartitionActor.DeleteRecords delete, Runnable show) throws IOException {
    try {
      decide(log, delete, show);
    } catch (IOException e) {
      if (!log.isWritable()) {
        throw e;
      }
      refuseAfter(e, delete);
    }
  }

  /** The same for a log that has failed, which can fail no more; what does not open has nothing that could be deleted. */
  Behavior<PartitionActor.Command> deleteFromFailed(
      Optional<PartitionLog> log, PartitionActor.DeleteRecords delete, Runnable show) {
    if (log.isEmpty()) {
      return refuse(delete, Refusal.STORAGE_FAILED);
    }
    try {
      decide(log.get(), delete, show);
    } catch (IOException e) {
      refuseAfter(e, delete);
    }
    return Behaviors.same();
  }

  private void decide(PartitionLog log, PartitionActor.DeleteRecords delete, Runnable show) throws IOException {
    LogSnapshot before = log.snapshot();
    RecordsDeletion decided = log.deleteRecordsBefore(delete.beforeOffset(), show);
    countDeleted(before, log.snapshot());
    if (decided instanceof RecordsDeletion.Deleted deleted) {
      LOG.info("records deleted partition={} log_start_offset={}", partition, deleted.logStartOffset());
    }
    delete.replyTo().tell(new PartitionReply.DeletionDecided(delete.correlationId(), decided));
  }

  private void refuseAfter(IOException e, PartitionActor.DeleteRecords delete) {
    LOG.warn("records not deleted partition={} cause={}", partition, e.toString());
    refuse(delete, Refusal.STORAGE_FAILED);
  }

  static Behavior<PartitionActor.Command> refuse(PartitionActor.DeleteRecords delete, Refusal reason) {
    delete.replyTo().tell(new PartitionReply.Refused(delete.correlationId(), reason));
    return Behaviors.same();
  }
}
