package kaka.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import kaka.connection.KeptRuns;
import kaka.connection.ReadWindow;
import kaka.connection.WholeBatches;
import kaka.log.AbortedTransaction;
import kaka.log.Isolation;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.log.StaleSnapshotException;
import kaka.metrics.Protocol;
import kaka.metrics.RequestMetrics;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.partition.PartitionView;
import kaka.record.BatchHeader;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One partition of a fetch: what is asked for, and, from one attempt to the next, what there is. Used by the connection's thread
 * and by the fetch dispatcher in turns, never at once.
 */
final class FetchedPartition {
  /** How often another look is taken where retention or compaction has just replaced what was to be read. */
  private static final int MAX_LOOKS = 3;

  private final String topic;
  private final Uuid topicId;
  private final int index;
  private final long fetchOffset;
  private final int maxBytes;
  private final int leaderEpoch;
  private final Optional<PartitionHandle> handle;
  private final boolean isTopicKnown;
  private final Isolation isolation;

  private Errors error = Errors.NONE;
  private LogSnapshot shown; // all of it
  private LogSnapshot snapshot; // as much as may be read
  private List<AbortedTransaction> aborted = List.of();
  private LogReader reader;
  private ReadWindow window; // while it is measured
  private int wantedBytes;
  private Optional<KeptRuns.Run> run = Optional.empty(); // all that the answer has of it, where it was still at hand
  private WholeBatches batches;
  private long sizeBytes;
  private long recordCount;

  FetchedPartition(
      FetchTopic topic,
      FetchPartition asked,
      Optional<PartitionHandle> handle,
      boolean isTopicKnown,
      Isolation isolation) {
    this.topic = topic.topic();
    this.topicId = topic.topicId();
    this.index = asked.partition();
    this.fetchOffset = asked.fetchOffset();
    this.maxBytes = Math.max(0, asked.partitionMaxBytes());
    this.leaderEpoch = asked.currentLeaderEpoch();
    this.handle = handle;
    this.isTopicKnown = isTopicKnown;
    this.isolation = isolation;
  }

  String topic() {
    return topic;
  }

  Uuid topicId() {
    return topicId;
  }

  Optional<PartitionHandle> handle() {
    return handle;
  }

  Isolation isolation() {
    return isolation;
  }

  boolean isOfTopic(FetchedPartition other) {
    return topic.equals(other.topic) && topicId.equals(other.topicId);
  }

  // ---------------------------------------------------------------- an attempt

  /** Sees what there is now. */
  void look(Topics topics) {
    error = Errors.NONE;
    snapshot = null;
    shown = null;
    aborted = List.of();
    sizeBytes = 0;
    if (handle.isEmpty()) {
      error = isTopicKnown ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Topics.unknown(topicId);
      return;
    }
    PartitionView view = handle.get().view();
    if (view.snapshot().isEmpty()) {
      error = KafkaErrors.unusable(topics.table(), handle.get());
      return;
    }
    shown = view.snapshot().get();
    snapshot = isolation.of(shown);
    if (leaderEpoch > Node.LEADER_EPOCH) {
      error = Errors.UNKNOWN_LEADER_EPOCH;
    } else if (fetchOffset < snapshot.logStartOffset() || fetchOffset > shown.highWatermark()) {
      error = Errors.OFFSET_OUT_OF_RANGE;
    }
  }

  /** Whether there may be more records one day. */
  boolean isWritable() {
    return handle.isPresent() && handle.get().view().state() == PartitionState.WRITABLE;
  }

  boolean hasFailed() {
    return error != Errors.NONE;
  }

  /** Whether there is something to read. */
  boolean hasRecords() {
    return !hasFailed() && fetchOffset < snapshot.highWatermark();
  }

  /** Where the next record that may be read is awaited; only where nothing has failed. */
  long highWatermark() {
    return snapshot.highWatermark();
  }

  // ---------------------------------------------------------------- reading, on the fetch dispatcher

  /**
   * Opens the log where the fetch starts.
   *
   * @return bytes there are, as far as they are wanted
   */
  long open(Topics topics, Call.Side side) {
    for (int look = 1; hasRecords(); look++) {
      try {
        reader = snapshot.reader(fetchOffset, Math.max(1, maxBytes));
        return Math.min(reader.sizeBytes(), Math.max(1, maxBytes));
      } catch (IOException e) {
        if (!(e instanceof StaleSnapshotException) || look == MAX_LOOKS) {
          fail(side, e);
        } else {
          look(topics);
        }
      }
    }
    return 0;
  }

  boolean isOpen() {
    return reader != null;
  }

  /**
   * Begins to look how much of it the answer takes; see {@link WholeBatches}. Go on by {@link #measure}.
   *
   * @param kept what the answer keeps
   */
  void startMeasuring(KeptRuns kept, int roomBytes, boolean atLeastOne) {
    run = Optional.of(kept.run());
    window = new ReadWindow(reader, 2 * BatchHeader.SIZE);
    wantedBytes = Math.min(roomBytes, maxBytes);
    batches = new WholeBatches(window, fetchOffset, wantedBytes, atLeastOne);
  }

  boolean isMeasuring() {
    return batches != null;
  }

  /** What is held to measure it. */
  long windowBytes() {
    return window == null ? 0 : window.heldBytes();
  }

  /** Lets go of that; it is read again. */
  void trim() {
    dropKept();
    if (window != null) {
      window.drop();
    }
  }

  /** Whether {@link #takeKept} has what would be read of it. */
  boolean isKept() {
    return run.isPresent() && run.get().isKept();
  }

  /** All that the answer has of it, in a buffer that is the caller's now, from its start up to a limit. */
  ByteBuffer takeKept() {
    return run.orElseThrow().take();
  }

  private void dropWindow() {
    if (window != null) {
      window.drop();
      window = null;
    }
  }

  private void dropKept() {
    run.ifPresent(KeptRuns.Run::drop);
  }

  /**
   * @param windowBytes what may be held to read through
   * @param keptBytes what may be held instead, if that is enough to have all of it at once: then it is not read a second time
   * @return false if there is more to do, in another task
   */
  boolean measure(Call.Side side, int windowBytes, int keptBytes) {
    run.orElseThrow().startTask(window, windowBytes, Math.min(wantedBytes, reader.sizeBytes()), keptBytes);
    try {
      if (!batches.measure()) {
        return false;
      }
      sizeBytes = batches.sizeBytes();
      recordCount = batches.recordCount();
      run.orElseThrow().keep(window, 0, sizeBytes);
      if (isolation == Isolation.COMMITTED && sizeBytes > 0) {
        aborted = snapshot.abortedTransactions(fetchOffset, batches.nextOffset());
      }
    } catch (StaleSnapshotException e) { // retention or compaction took a segment meanwhile: the next fetch sees what there is now
      sizeBytes = 0;
      recordCount = 0;
      dropKept();
    } catch (IOException e) {
      sizeBytes = 0; // what was aborted may not be known
      dropKept();
      fail(side, e);
    }
    dropWindow();
    batches = null;
    return true;
  }

  private void fail(Call.Side side, IOException cause) {
    error = Errors.KAFKA_STORAGE_ERROR;
    side.readFailed(handle.map(found -> found.id().toString()).orElse(topic), cause);
  }

  /** The answer has nothing of it, though there may be something. */
  void readNothing() {
    sizeBytes = 0;
  }

  /** Where {@link #sizeBytes} can be read. */
  LogReader reader() {
    return reader;
  }

  /** Of the batches that the answer has. */
  long sizeBytes() {
    return sizeBytes;
  }

  /** Lets go of the segments. */
  void close() throws IOException {
    dropWindow();
    dropKept();
    batches = null;
    if (reader != null) {
      LogReader open = reader;
      reader = null;
      open.close();
    }
  }

  // ---------------------------------------------------------------- the answer

  /** For one answer: what it has of the partition, or why it has nothing. */
  void count(RequestMetrics metrics) {
    if (hasFailed()) {
      metrics.refused(Protocol.KAFKA, KafkaErrors.label(error));
    } else if (sizeBytes > 0) {
      handle.orElseThrow().counts().fetched(recordCount, sizeBytes);
    }
  }

  PartitionData response() {
    PartitionData data =
        new PartitionData()
            .setPartitionIndex(index)
            .setErrorCode(error.code())
            .setHighWatermark(-1)
            .setAbortedTransactions(abortedTransactions())
            .setRecords(sizeBytes == 0 ? MemoryRecords.EMPTY : new FetchedRecords(this));
    if (snapshot != null && error != Errors.OFFSET_OUT_OF_RANGE) {
      data.setHighWatermark(shown.highWatermark())
          .setLastStableOffset(shown.lastStableOffset())
          .setLogStartOffset(shown.logStartOffset());
    }
    return data;
  }

  /** For a reader of committed records: what of the batches it must leave out; null for others, who are told nothing. */
  private List<FetchResponseData.AbortedTransaction> abortedTransactions() {
    return isolation == Isolation.UNCOMMITTED
        ? null
        : aborted.stream()
            .map(
                each ->
                    new FetchResponseData.AbortedTransaction()
                        .setProducerId(each.producerId())
                        .setFirstOffset(each.firstOffset()))
            .toList();
  }
}
