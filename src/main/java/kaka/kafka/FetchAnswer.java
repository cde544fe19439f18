package kaka.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.AnswerMemory;
import kaka.connection.ConnectionQuota;
import kaka.connection.KeptRuns;
import kaka.connection.SlicedAnswer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;

/** The answer to a fetch, first measured, then given slice by slice. */
final class FetchAnswer implements SlicedAnswer {
  /** What one task reads, about, before others have the thread. */
  private static final int TASK_BYTES = 1 << 20;

  /** What looking at a partition counts for at least. */
  private static final int PARTITION_BYTES = 4 << 10;

  /** A part of the answer: bytes of its own, then, if there are any, a partition's batches. */
  private record Part(int headTo, Optional<FetchedPartition> records) {}

  private final Call call;
  private final String client;
  private final AnswerMemory memory;
  private final List<FetchedPartition> partitions;
  private final int maxBytes;
  private final long availableBytes;
  private final KeptRuns kept;
  private final List<Part> parts = new ArrayList<>();
  private Duration throttle = Duration.ZERO;
  private int measuredCount;
  private long recordsBytes;
  private byte[] head;
  private int headAt;
  private int part;
  private long partAt;

  /**
   * @param client who pays for it
   * @param memory asked for the head of the answer
   * @param partitions looked at; those that are to be read are open
   * @param availableBytes of all that are open, as far as they are wanted
   */
  FetchAnswer(
      Call call,
      String client,
      AnswerMemory memory,
      List<FetchedPartition> partitions,
      int maxBytes,
      long availableBytes) {
    this.call = call;
    this.client = client;
    this.memory = memory;
    this.kept = new KeptRuns(call.services().slices().buffers());
    this.partitions = partitions;
    this.maxBytes = maxBytes;
    this.availableBytes = availableBytes;
  }

  @Override
  public Optional<ByteBuffer> next(int sliceBytes) throws IOException {
    if (head == null) {
      if (!measure(sliceBytes)) {
        return Optional.empty();
      }
      makeHead();
    }
    Part current = parts.get(part);
    boolean isKept = current.records().map(FetchedPartition::isKept).orElse(false);
    if (isKept && headAt == current.headTo()) {
      return Optional.of(giveKept(current.records().get()));
    }
    ByteBuffer slice = ByteBuffer.allocate((int) Math.min(sliceBytes, isKept ? current.headTo() - headAt : leftBytes()));
    while (slice.hasRemaining() && !isBeforeKept()) {
      fill(slice);
    }
    return Optional.of(slice.flip());
  }

  private boolean isBeforeKept() {
    Part current = parts.get(part);
    return headAt == current.headTo() && current.records().map(FetchedPartition::isKept).orElse(false);
  }

  private ByteBuffer giveKept(FetchedPartition partition) throws IOException {
    ByteBuffer bytes = partition.takeKept();
    recordsBytes -= bytes.limit();
    partition.close();
    part++;
    return bytes;
  }

  private long measuringBytes() {
    return head == null && measuredCount < partitions.size() ? partitions.get(measuredCount).windowBytes() : 0;
  }

  /** At least one batch always, but only for the first partition that has any (KIP-74). */
  private boolean measure(int sliceBytes) {
    long taskBytes = 0;
    while (measuredCount < partitions.size()) {
      FetchedPartition partition = partitions.get(measuredCount);
      if (partition.isOpen() && !partition.hasFailed()) {
        if (taskBytes >= TASK_BYTES) {
          return false;
        }
        if (!partition.isMeasuring()) {
          int room = (int) Math.max(0, maxBytes - recordsBytes);
          partition.startMeasuring(kept, room, recordsBytes == 0);
        }
        if (!partition.measure(call.side(), sliceBytes, kept.room(sliceBytes, leftBytes()))) {
          return false;
        }
        recordsBytes += partition.sizeBytes();
        taskBytes += Math.max(PARTITION_BYTES, partition.sizeBytes());
      }
      measuredCount++;
    }
    return true;
  }

  private void makeHead() {
    FetchResponseData response = response(partitions);
    ResponseFrame frame = call.frame(response);
    memory.add(frame.sizeBytes());
    throttle = call.connection().quota().fetched(client, recordsBytes); // once it is certain that they are sent
    response.setThrottleTimeMs(ConnectionQuota.millisOf(throttle)); // a number of a fixed size
    head =
        frame.write(
            (records, at) -> {
              if (records instanceof FetchedRecords fetched) {
                parts.add(new Part(at, Optional.of(fetched.partition())));
              }
            });
    parts.add(new Part(head.length, Optional.empty()));
  }

  /** What has failed is told at once. */
  @Override
  public boolean isWorth(long leastBytes) {
    return availableBytes >= leastBytes || partitions.stream().anyMatch(FetchedPartition::hasFailed);
  }

  @Override
  public long leftBytes() {
    return head == null ? PARTITION_BYTES + Math.min(maxBytes, availableBytes) : head.length - headAt + recordsBytes;
  }

  @Override
  public long madeBytes() {
    return head == null ? 0 : head.length;
  }

  @Override
  public long windowBytes() {
    return measuringBytes() + kept.heldBytes();
  }

  @Override
  public long taskBytes(int sliceBytes) {
    long window = head == null ? Math.max(measuringBytes(), Math.max(sliceBytes, kept.room(sliceBytes, leftBytes()))) : 0;
    return madeBytes() + kept.heldBytes() + window + sliceBytes;
  }

  @Override
  public void trim() {
    partitions.forEach(FetchedPartition::trim);
  }

  private void fill(ByteBuffer slice) throws IOException {
    Part current = parts.get(part);
    int headCount = Math.min(slice.remaining(), current.headTo() - headAt);
    slice.put(head, headAt, headCount);
    headAt += headCount;
    if (headAt < current.headTo() || isBeforeKept()) {
      return;
    }
    if (current.records().isPresent()) {
      FetchedPartition partition = current.records().get();
      int count = (int) Math.min(slice.remaining(), partition.sizeBytes() - partAt);
      ByteBuffer target = slice.slice().limit(count);
      if (partition.reader().read(target, partAt) < count) {
        throw new IOException("the log ends inside a batch");
      }
      slice.position(slice.position() + count);
      partAt += count;
      recordsBytes -= count;
      if (partAt < partition.sizeBytes()) {
        return;
      }
      partition.close();
    }
    part++;
    partAt = 0;
  }

  /** How long the client is to wait, once {@link #next} has given something. */
  Duration throttle() {
    return throttle;
  }

  @Override
  public boolean isExhausted() {
    return head != null && leftBytes() == 0;
  }

  /** The partitions that stand together by topic, as they were asked for. */
  static FetchResponseData response(List<FetchedPartition> partitions) {
    FetchResponseData response = new FetchResponseData();
    FetchedPartition last = null;
    FetchableTopicResponse topic = null;
    for (FetchedPartition partition : partitions) {
      if (last == null || !partition.isOfTopic(last)) {
        topic = new FetchableTopicResponse().setTopic(partition.topic()).setTopicId(partition.topicId());
        response.responses().add(topic);
      }
      topic.partitions().add(partition.response());
      last = partition;
    }
    return response;
  }
}
