package kaka.kafka;

import java.io.IOException;
import java.util.Optional;
import kaka.log.Isolation;
import kaka.log.LogSnapshot;
import kaka.log.StaleSnapshotException;
import kaka.log.TimedOffset;
import kaka.partition.PartitionHandle;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * One partition of LIST_OFFSETS. What is asked for is a time, or one of these:
 *
 * <pre>
 * -1 latest                    the high watermark; for a reader of committed records the last stable offset
 * -2 earliest                  the log start
 * -3 greatest time, from 7 on  the first record that has it, and that time
 * -4 earliest local, from 8    the log start: everything is local
 * -5 latest tiered, from 9     none: nothing is anywhere else
 * -6 next to be tiered, 11     none
 * </pre>
 */
final class OffsetLookup {
  private static final long LATEST = -1;
  private static final long EARLIEST = -2;
  private static final long GREATEST_TIME = -3;
  private static final long EARLIEST_LOCAL = -4;
  private static final long LATEST_TIERED = -5;
  private static final long NEXT_TO_BE_TIERED = -6;

  private static final int FIRST_WITH_EPOCH = 4;
  private static final int MAX_LOOKS = 3;

  private final Optional<PartitionHandle> handle;
  private final ListOffsetsPartition asked;
  private final Isolation isolation;
  private final short version;
  private final ListOffsetsPartitionResponse result;

  OffsetLookup(
      Optional<PartitionHandle> handle,
      ListOffsetsPartition asked,
      Isolation isolation,
      short version,
      ListOffsetsPartitionResponse result) {
    this.handle = handle;
    this.asked = asked;
    this.isolation = isolation;
    this.version = version;
    this.result = result.setOffset(-1).setTimestamp(-1).setLeaderEpoch(-1);
  }

  /** Answers what needs no disk; returns false if {@link #read} is to be called. */
  boolean answerAtOnce(Topics topics) {
    long time = asked.timestamp();
    if (handle.isEmpty()) {
      return fail(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }
    Optional<LogSnapshot> snapshot = handle.get().view().snapshot().map(isolation::of);
    if (time < 0 && version < firstVersionWith(time)) {
      return fail(Errors.UNSUPPORTED_VERSION);
    }
    if (asked.currentLeaderEpoch() > Node.LEADER_EPOCH) {
      return fail(Errors.UNKNOWN_LEADER_EPOCH);
    }
    if (snapshot.isEmpty()) {
      return fail(KafkaErrors.unusable(topics.table(), handle.get()));
    }
    if (time == LATEST) {
      found(snapshot.get().highWatermark(), -1);
    } else if (time == EARLIEST || time == EARLIEST_LOCAL) {
      found(snapshot.get().logStartOffset(), -1);
    }
    return time < 0 && time != GREATEST_TIME;
  }

  private static int firstVersionWith(long time) {
    if (time == LATEST || time == EARLIEST) {
      return 0;
    } else if (time == GREATEST_TIME) {
      return 7;
    } else if (time == EARLIEST_LOCAL) {
      return 8;
    } else if (time == LATEST_TIERED) {
      return 9;
    }
    return time == NEXT_TO_BE_TIERED ? 11 : Integer.MAX_VALUE;
  }

  private boolean fail(Errors error) {
    result.setErrorCode(error.code());
    return true;
  }

  private void found(long offset, long timestampMs) {
    result.setOffset(offset).setTimestamp(timestampMs);
    if (version >= FIRST_WITH_EPOCH) {
      result.setLeaderEpoch(Node.LEADER_EPOCH);
    }
  }

  /** Blocks: on the fetch dispatcher. */
  void read(Call call) {
    PartitionHandle partition = handle.orElseThrow();
    for (int look = 1; look <= MAX_LOOKS; look++) {
      Optional<LogSnapshot> snapshot = partition.view().snapshot().map(isolation::of);
      if (snapshot.isEmpty()) {
        fail(KafkaErrors.unusable(call.topics().table(), partition));
        return;
      }
      try {
        read(snapshot.get());
        return;
      } catch (StaleSnapshotException e) { // retention took a segment meanwhile: there is a newer snapshot
        fail(Errors.KAFKA_STORAGE_ERROR);
      } catch (IOException e) {
        fail(Errors.KAFKA_STORAGE_ERROR);
        call.side().readFailed(partition.id().toString(), e);
        return;
      }
    }
  }

  private void read(LogSnapshot snapshot) throws IOException {
    Optional<TimedOffset> record =
        asked.timestamp() == GREATEST_TIME ? snapshot.greatestTime() : snapshot.firstFrom(asked.timestamp());
    result.setErrorCode(Errors.NONE.code());
    record.ifPresent(found -> found(found.offset(), found.timestampMs()));
  }
}
