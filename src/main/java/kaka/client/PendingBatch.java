package kaka.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kaka.protocol.ProduceBatch;
import kaka.protocol.ProducerIdentity;
import kaka.protocol.WireWriter;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/**
 * The records of one PRODUCE_BATCH and those who wait for them. It grows under the accumulator's lock until it is taken to be
 * sent; from then on it belongs to the loop's thread.
 */
final class PendingBatch {
  /** Bound on what a frame has besides the records and the topic's name: frame header, partition, batch header. */
  static final int FRAME_OVERHEAD = 5 + 2 + 4 + 61;

  private static final int NOT_NUMBERED = -1;

  private final PartitionQueue queue;
  private final long sequence;
  private final long createdNanos;
  private final Codec compression;
  private final List<CompletableFuture<RecordMetadata>> futures = new ArrayList<>();
  private RecordBatchBuilder builder;
  private WireWriter frame;
  private int batchBytes;
  private long chargedBytes;
  private boolean full;
  private int baseSequence = NOT_NUMBERED;
  private boolean maybeStored;

  /**
   * @param sequence counts the batches of one producer in the order of their creation
   * @param expectedBytes what it will take, about
   * @param compression used when it is sent, where that makes it smaller
   */
  PendingBatch(PartitionQueue queue, long sequence, long createdNanos, int expectedBytes, Codec compression) {
    this.queue = queue;
    this.sequence = sequence;
    this.createdNanos = createdNanos;
    this.compression = compression;
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
      int capacity = (int) frameBytes();
      RecordBatch plain = builder.build();
      RecordBatch compressed = BatchCompression.compress(plain, compression);
      RecordBatch batch = compressed.sizeBytes() < plain.sizeBytes() ? compressed : plain;
      batchBytes = batch.sizeBytes();
      frame = new WireWriter(capacity - plain.sizeBytes() + batchBytes).frame(new ProduceBatch(queue.partition(), batch));
      builder = null;
    }
    return frame;
  }

  /**
   * Gives its records the numbers by which the broker recognises them; to be called before {@link #frame}, and again only
   * after {@link #forgetNumber}.
   *
   * @param producer with the epoch that its partition is in
   */
  void number(ProducerIdentity producer, int baseSequence) {
    this.baseSequence = baseSequence;
    if (builder != null) {
      builder.producer(producer.id(), producer.epoch(), baseSequence);
    } else {
      frame = new WireWriter(frame.sizeBytes()).frame(new ProduceBatch(queue.partition(), batchInFrame().withProducer(
          producer.id(), producer.epoch(), baseSequence)));
    }
  }

  private RecordBatch batchInFrame() {
    int start = frame.sizeBytes() - batchBytes;
    try {
      return RecordBatch.frame(frame.array(), start, frame.sizeBytes());
    } catch (InvalidBatchException e) {
      throw new IllegalStateException("a batch that was encoded here", e);
    }
  }

  boolean isNumbered() {
    return baseSequence != NOT_NUMBERED;
  }

  int baseSequence() {
    return baseSequence;
  }

  /** It is known not to be stored, and can be numbered anew. */
  void forgetNumber() {
    baseSequence = NOT_NUMBERED;
  }

  /** Whether it was sent and not answered, so that only sending the same numbers again can tell. */
  boolean isMaybeStored() {
    return maybeStored;
  }

  void setMaybeStored(boolean maybeStored) {
    this.maybeStored = maybeStored;
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
