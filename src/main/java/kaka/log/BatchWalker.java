package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;

/**
 * Walks the batches of a segment file from header to header, through one small window. A header is believed only if it is
 * plausible (magic, lengths within the file) and continues the offsets before it; {@link #isIntact} checks the rest. Not for
 * sharing between threads.
 */
final class BatchWalker {
  /** For a lookup: one small read, a few batches. */
  static final int LOOKUP_WINDOW_BYTES = 4 * 1024;

  /** For a walk through all of a file. */
  static final int SCAN_WINDOW_BYTES = 256 * 1024;

  /** Whatever base offset the first batch has will do. */
  static final long ANY_OFFSET = -1;

  /** The leader epoch that every stored batch has: there is one broker. */
  static final int LEADER_EPOCH = 0;

  private final DiskFile file;
  private final int end;
  private final ByteBuffer window;
  private final CRC32C crc = new CRC32C();
  private long windowPosition; // in the file, of the window's first byte

  private int nextPosition;
  private long expectedOffset;
  private String fault = "";

  private int position;
  private int sizeBytes;
  private long baseOffset;
  private int lastOffsetDelta;
  private long maxTimestampMs;
  private long producerId;
  private short producerEpoch;
  private int baseSequence;
  private int recordCount;
  private short attributes;

  /**
   * @param position where the first batch starts
   * @param end where the last one ends
   * @param expectedOffset the first one's base offset, or {@link #ANY_OFFSET}
   */
  BatchWalker(DiskFile file, int position, int end, long expectedOffset, int windowBytes) {
    this.file = file;
    this.nextPosition = position;
    this.end = end;
    this.expectedOffset = expectedOffset;
    this.window = ByteBuffer.allocate(windowBytes).limit(0);
  }

  /**
   * Steps to the next batch.
   *
   * @return false if there is none: at the end, or because of a {@link #fault}; the walk then stays where it is
   */
  boolean next() throws IOException {
    if (nextPosition == end) {
      return false;
    }
    if (nextPosition < 0 || end - nextPosition < BatchHeader.SIZE) {
      return stop("header cut short");
    }
    int at = load(nextPosition, BatchHeader.SIZE);
    byte magic = window.get(at + BatchHeader.MAGIC);
    if (magic != BatchHeader.MAGIC_V2) {
      return stop("magic " + magic + ", not 2");
    }
    int length = window.getInt(at + BatchHeader.LENGTH);
    if (length < BatchHeader.SIZE - BatchHeader.OVERHEAD) {
      return stop("batch length " + length);
    }
    if (length > end - nextPosition - BatchHeader.OVERHEAD) {
      return stop("batch of " + (length + (long) BatchHeader.OVERHEAD) + " bytes cut short");
    }
    long base = window.getLong(at + BatchHeader.BASE_OFFSET);
    if (base < 0 || expectedOffset != ANY_OFFSET && base != expectedOffset) {
      return stop("base offset " + base + ", not " + expectedOffset);
    }
    int delta = window.getInt(at + BatchHeader.LAST_OFFSET_DELTA);
    if (delta < 0) {
      return stop("last offset delta " + delta);
    }
    position = nextPosition;
    sizeBytes = length + BatchHeader.OVERHEAD;
    baseOffset = base;
    lastOffsetDelta = delta;
    maxTimestampMs = window.getLong(at + BatchHeader.MAX_TIMESTAMP);
    producerId = window.getLong(at + BatchHeader.PRODUCER_ID);
    producerEpoch = window.getShort(at + BatchHeader.PRODUCER_EPOCH);
    baseSequence = window.getInt(at + BatchHeader.BASE_SEQUENCE);
    recordCount = window.getInt(at + BatchHeader.RECORD_COUNT);
    attributes = window.getShort(at + BatchHeader.ATTRIBUTES);
    nextPosition = position + sizeBytes;
    expectedOffset = base + delta + 1;
    return true;
  }

  private boolean stop(String what) {
    fault = what;
    return false;
  }

  /** Whether the current batch's leader epoch is ours and its CRC32C fits; reads all of it. If not, {@link #fault} says so. */
  boolean isIntact() throws IOException {
    int at = load(position, BatchHeader.SIZE);
    int epoch = window.getInt(at + BatchHeader.LEADER_EPOCH);
    if (epoch != LEADER_EPOCH) {
      return stop("leader epoch " + epoch + ", not " + LEADER_EPOCH);
    }
    int stored = window.getInt(at + BatchHeader.CRC);
    crc.reset();
    int batchEnd = position + sizeBytes;
    for (int from = position + BatchHeader.ATTRIBUTES; from < batchEnd; ) {
      int start = load(from, 1);
      int part = Math.min(batchEnd - from, window.limit() - start);
      crc.update(window.array(), start, part);
      from += part;
    }
    return (int) crc.getValue() == stored || stop("CRC32C does not fit");
  }

  /** Brings at least {@code count} bytes from {@code from} on into the window; returns where they are in it. */
  private int load(int from, int count) throws IOException {
    long at = from - windowPosition;
    if (at < 0 || at + count > window.limit()) {
      window.clear().limit(Math.min(window.capacity(), end - from));
      int read = file.read(window, from);
      window.flip();
      windowPosition = from;
      if (read < count) {
        throw new IOException("file ends at " + (from + read) + ", before " + end);
      }
      at = 0;
    }
    return (int) at;
  }

  /** What is wrong with the bytes that stopped the walk; empty if nothing is. */
  String fault() {
    return fault;
  }

  /** Whether the walk has passed the last batch, and it ended exactly at the end. */
  boolean atEnd() {
    return nextPosition == end;
  }

  /** Where the current batch ends, which is where the walk stops if it stops. */
  int nextPosition() {
    return nextPosition;
  }

  /** Offset after the current batch. */
  long nextOffset() {
    return expectedOffset;
  }

  int position() {
    return position;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  long baseOffset() {
    return baseOffset;
  }

  long lastOffset() {
    return baseOffset + lastOffsetDelta;
  }

  long maxTimestampMs() {
    return maxTimestampMs;
  }

  /** Whether it only stands for the offsets of batches that compaction dropped, whoever produced them. */
  boolean isGap() {
    return recordCount == 0 && producerId < 0;
  }

  /** Whether the current batch is part of a transaction, or ends one. */
  boolean isTransactional() {
    return (attributes & BatchHeader.TRANSACTIONAL) != 0;
  }

  private boolean isControl() {
    return (attributes & BatchHeader.CONTROL) != 0;
  }

  /**
   * Has {@code producers} remember the current batch, if an idempotent producer numbered it, or if it is a marker.
   *
   * @return the transaction that it ends, if it aborts one
   */
  Optional<AbortedTransaction> addTo(ProducerState producers, long nowMs) throws IOException {
    if (isControl()) {
      Optional<TransactionMarker> marker = marker();
      return marker.isEmpty() ? Optional.empty() : producers.end(marker.get(), baseOffset, nowMs);
    }
    if (producerId >= 0 && baseSequence >= 0) {
      int lastSequence = ProducerState.plus(baseSequence, lastOffsetDelta);
      producers.add(producerId, producerEpoch, baseSequence, lastSequence, baseOffset, nowMs);
      if (isTransactional()) {
        producers.beginTransaction(producerId, baseOffset);
      }
    }
    return Optional.empty();
  }

  /** What the current control batch says; nothing if it is of another kind, which another broker wrote. */
  private Optional<TransactionMarker> marker() throws IOException {
    if (sizeBytes > TransactionMarker.MAX_BYTES) {
      return Optional.empty();
    }
    byte[] bytes = new byte[sizeBytes];
    window.get(load(position, sizeBytes), bytes);
    try {
      return Optional.of(TransactionMarker.of(RecordBatch.frame(bytes, 0, sizeBytes)));
    } catch (InvalidBatchException e) {
      return Optional.empty();
    }
  }
}
