package kaka.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import kaka.client.BatchAccumulator.Added;
import kaka.client.KakaException.Reason;
import kaka.protocol.HelloReply;
import kaka.protocol.Limits;
import kaka.record.BatchCompression;
import kaka.record.BatchHeader;
import kaka.record.Header;
import kaka.record.RecordBatchBuilder;
import kaka.socket.SelectorLoop;

/**
 * Sends records, in batches, over a connection of its own; see {@link ProducerConfig}. Safe for use by many threads.
 *
 * <p><b>Order.</b> Records that one thread sends to one partition are stored in that order. Where the broker refuses a batch
 * and has stored nothing of it (MEMORY, UNAVAILABLE, SHUTTING_DOWN, a disk that is nearly full), it is sent again after a pause, in its place; if a later
 * batch of the partition was stored meanwhile there is no such place any more, and it fails (never if idempotent).
 *
 * <p><b>What is certain.</b> A future that completes normally: the broker has it on disk. One that fails: the broker has
 * stored none of it, unless {@link KakaException#isMaybeStored}.
 *
 * <p><b>Lost connections.</b> An idempotent producer (the default) sends again what was not answered, in order, until the
 * delivery timeout; the broker recognises what it has stored, also over its own restart, so each record is there exactly once.
 * Only what could not be sent again in time, or was met by a broker that has forgotten this producer, fails with an unknown
 * outcome. A producer that is not idempotent sends nothing twice: all that was in flight fails so.
 *
 * <p><b>Backpressure.</b> A request takes a credit of the broker's window. Without credit batches wait here, in a buffer of
 * {@link ProducerConfig#bufferBytes}; while that is full {@link #send} parks its caller, and {@link #trySend} refuses.
 *
 * <p>Futures complete on the client's one thread: what hangs on them must not block.
 */
public final class Producer implements AutoCloseable {
  private static final CompletableFuture<Integer> NOT_ASKED = CompletableFuture.completedFuture(0);

  /** Bound on what a header takes besides its name and value. */
  private static final int HEADER_OVERHEAD = 5 + 5;

  private final SelectorLoop loop;
  private final PartitionCounts partitionCounts;
  private final int maxRecordBytes;
  private final ProducerCounters counters = new ProducerCounters();
  private final BatchAccumulator accumulator;
  private final ProduceSender sender;

  Producer(
      SelectorLoop loop, ClientConfig clientConfig, ProducerConfig config, PartitionCounts partitionCounts, HelloReply hello) {
    BatchCompression.require(config.compression());
    this.loop = loop;
    this.partitionCounts = partitionCounts;
    this.maxRecordBytes = Math.max(0, hello.maxFrameBytes() - PendingBatch.FRAME_OVERHEAD - Limits.TOPIC_BYTES);
    this.accumulator = new BatchAccumulator(config, maxRecordBytes + BatchHeader.SIZE);
    this.sender = new ProduceSender(loop, clientConfig, config, accumulator, partitionCounts, counters);
  }

  /**
   * Sends a record, and parks the calling thread while the buffer is full, and, with the first record of a topic whose
   * partition is left to the producer, until the broker has told how many there are.
   *
   * @return complete once the broker has the record on disk, or with a {@link KakaException}; see above
   * @throws IllegalStateException if it would have to park the client's own thread: use {@link #trySend} in callbacks
   */
  public CompletableFuture<RecordMetadata> send(ProducerRecord record) {
    CompletableFuture<Integer> count = countFor(record);
    if (loop.isLoopThread()) {
      return add(record, count, false)
          .orElseThrow(() -> new IllegalStateException("send would park the client's own thread; use trySend"));
    }
    count.exceptionally(failure -> 0).join(); // add tells the failure
    return add(record, count, true).orElseThrow();
  }

  /**
   * Sends a record if that is possible without waiting.
   *
   * @return as for {@link #send}; empty if the buffer is full or the topic's partitions are not known yet: nothing was
   *     taken, and {@link #whenRoom} tells when to try again
   */
  public Optional<CompletableFuture<RecordMetadata>> trySend(ProducerRecord record) {
    return add(record, countFor(record), false);
  }

  private CompletableFuture<Integer> countFor(ProducerRecord record) {
    return record.partition().isPresent() ? NOT_ASKED : partitionCounts.of(record.topic());
  }

  private Optional<CompletableFuture<RecordMetadata>> add(
      ProducerRecord record, CompletableFuture<Integer> count, boolean park) {
    if (!count.isDone()) {
      return Optional.empty();
    }
    if (count.isCompletedExceptionally()) {
      partitionCounts.told(record.topic(), count);
      return failed(count.handle((none, failure) -> KakaException.of(failure)).join());
    }
    long recordBytes = sizeBound(record);
    if (recordBytes > maxRecordBytes || !accumulator.canHold(recordBytes)) {
      String what = "a record of about " + recordBytes + " bytes: the broker takes " + maxRecordBytes;
      return failed(new KakaException(Reason.RECORD_TOO_LARGE, what + ", and the buffer has to hold it"));
    }
    try {
      Optional<Added> added = accumulator.add(record, count.join(), recordBytes, false);
      if (added.isEmpty()) {
        accumulator.makeDue(); // what lingers would keep this one waiting
        sender.wake();
        if (!park) {
          return Optional.empty();
        }
        added = accumulator.add(record, count.join(), recordBytes, true);
      }
      counters.sent();
      if (added.orElseThrow().isSenderNeeded()) {
        sender.wake();
      }
      return added.map(Added::future);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed(new KakaException(Reason.INTERRUPTED, "interrupted while waiting for room", e));
    }
  }

  private static Optional<CompletableFuture<RecordMetadata>> failed(KakaException failure) {
    return Optional.of(CompletableFuture.failedFuture(failure));
  }

  private static long sizeBound(ProducerRecord record) {
    long size = RecordBatchBuilder.MAX_RECORD_OVERHEAD + sizeOf(record.key()) + sizeOf(record.value());
    for (Header header : record.headers()) {
      size += HEADER_OVERHEAD + 3L * header.key().length() + sizeOf(header.value());
    }
    return size;
  }

  private static long sizeOf(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** Complete when something that {@link #trySend} was refused for has changed, so that it is worth another try. */
  public CompletableFuture<Void> whenRoom() {
    return partitionCounts.anyAsked().orElseGet(accumulator::nextSettled);
  }

  /**
   * Sends what lingers, and waits for everything given before this call.
   *
   * @return complete once all of it is acknowledged or failed, as its own futures say
   */
  public CompletableFuture<Void> flush() {
    CompletableFuture<Void> flushed = accumulator.flush();
    sender.wake();
    return flushed;
  }

  /** Records that were taken by {@link #send} and {@link #trySend}. */
  public long sentRecords() {
    return counters.sentRecords();
  }

  /** Records that the broker has acknowledged. */
  public long ackedRecords() {
    return counters.ackedRecords();
  }

  /** Records that have failed after they were taken. */
  public long failedRecords() {
    return counters.failedRecords();
  }

  /** Complete when a record that was taken has failed, with the failure of the first. */
  public CompletableFuture<KakaException> firstFailure() {
    return counters.firstFailure();
  }

  /**
   * Has {@code listener} told, on the client's thread, when the connection was lost or cannot be made and records wait for
   * the next; once until one is acknowledged again.
   */
  public void onConnectionLost(Consumer<KakaException> listener) {
    sender.onConnectionLost(listener);
  }

  /** Requests that are not answered yet. */
  public int requestsInFlight() {
    return counters.inFlight();
  }

  /** The most requests that were in flight at once. */
  public int peakRequestsInFlight() {
    return counters.peakInFlight();
  }

  /** The most bytes of the buffer that were ever in use. */
  public long peakBufferedBytes() {
    return accumulator.peakUsedBytes();
  }

  /**
   * Takes no more records, and waits until those it has taken are acknowledged or failed, as the timeouts let them.
   *
   * @throws IllegalStateException on the client's own thread, which cannot wait for itself
   */
  @Override
  public void close() {
    if (loop.isLoopThread()) {
      throw new IllegalStateException("close would park the client's own thread");
    }
    KakaException reason = new KakaException(Reason.CLOSED, "the producer is closed");
    accumulator.close(reason);
    flush().join();
    closeNow(reason);
  }

  /** Takes no more records and waits for nothing: what is not acknowledged yet fails. */
  public void abort() {
    closeNow(new KakaException(Reason.CLOSED, "the producer was told to stop"));
  }

  private void closeNow(KakaException reason) {
    try {
      loop.execute(() -> sender.close(reason));
    } catch (RejectedExecutionException e) {
      // the client was closed before, and this with it
    }
  }

  boolean isClosed() {
    return accumulator.isFinished();
  }

  /** As {@link #abort()}, with a reason of the client's. On the loop's thread. */
  void abort(KakaException reason) {
    sender.close(reason);
  }
}
