package kaka.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kaka.protocol.ProduceBatch;
import kaka.protocol.WireWriter;
import kaka.record.RecordBatchBuilder;

/**
 * The records of one PRODUCE_BATCH and those who wait for them. It grows under the accumulator's lock until it is taken to be
 * sent; from then on it belongs to the loop's thread.
 */
final class PendingBatch {
  /** Bound on what a frame has besides the records and the topic's name: frame header, partition, batch header. */
  static final int FRAME_OVERHEAD = 5 + 2 + 4 + 61;

  private final PartitionQueue queue;
  private final long sequence;
  private final long createdNanos;
  private final List<CompletableFuture<RecordMetadata>> futures = new ArrayList<>();
  private RecordBatchBuilder builder;
  private WireWriter frame;
  private long chargedBytes;
  private boolean full;

  /**
   * @param sequence counts the batches of one producer in the order of their creation
   * @param expectedBytes what it will take, about
   */
  PendingBatch(PartitionQueue queue, long sequence, long createdNanos, int expectedBytes) {
    this.queue = queue;
    this.sequence = sequence;
    this.createdNanos = createdNanos;
    this.builder = new RecordBatchBuilder(expectedBytes);
  }

  /** @param chargedBytes what the record takes of the producer's buffer until the batch is settled */
  CompletableFuture<RecordMetadata> add(ProducerRecord record, long timestampMs, long chargedBytes) {
    builder.append(timestampMs, record.key(), record.value(), record.headers());
    this.chargedBytes += chargedBytes;
    CompletableFuture<RecordMetadata> future = new CompletableFuture<>();
    futures.add(future);
    return future;
  }

  /** No record is added any more, and it need not linger. */
  void close() {
    full = true;
  }

  boolean isFull() {
    return full;
  }

  /** Bytes of the batch so far; only before {@link #frame}. */
  int sizeBytes() {
    return builder.sizeBytes();
  }

  /** Bytes of its frame, or a little more. */
  long frameBytes() {
    return frame != null ? frame.sizeBytes() : FRAME_OVERHEAD + queue.topicBytes() + (long) builder.sizeBytes();
  }

  /** Its request, encoded; kept, so that sending it again sends the same bytes. */
  WireWriter frame() {
    if (frame == null) {
      frame = new WireWriter((int) frameBytes()).frame(new ProduceBatch(queue.partition(), builder.build()));
      builder = null;
    }
    return frame;
  }

  PartitionQueue queue() {
    return queue;
  }

  long sequence() {
    return sequence;
  }

  long createdNanos() {
    return createdNanos;
  }

  long chargedBytes() {
    return chargedBytes;
  }

  int recordCount() {
    return futures.size();
  }

  void stored(long baseOffset) {
    for (int i = 0; i < futures.size(); i++) {
      futures.get(i).complete(new RecordMetadata(queue.partition(), baseOffset + i));
    }
  }

  void failed(KakaException failure) {
    futures.forEach(future -> future.completeExceptionally(failure));
  }
}
