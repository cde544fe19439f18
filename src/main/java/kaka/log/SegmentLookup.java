package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.log.ReadableSegment.OffsetEntry;
import kaka.log.ReadableSegment.TimeEntry;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * Finds batches in a segment. An index entry shortens the walk only if the batch it points to is there and is what it says;
 * if not, or if there is no index, the walk starts at the segment's start. So no index can make an answer wrong.
 */
final class SegmentLookup {
  private final ReadableSegment segment;
  private final DiskFile file;

  /** @param segment held by the caller */
  SegmentLookup(ReadableSegment segment) throws IOException {
    this.segment = segment;
    this.file = segment.file().file();
  }

  /** A walk that stands on the batch that holds {@code offset}, which is in the segment. */
  BatchWalker batchHolding(long offset) throws IOException {
    Optional<BatchWalker> hinted = hintedWalk(offset);
    if (hinted.isPresent() && walkTo(hinted.get(), offset)) {
      return hinted.get();
    }
    BatchWalker walk = walkFrom(0, segment.baseOffset());
    if (!walk.next() || !walkTo(walk, offset)) {
      throw damaged(walk);
    }
    return walk;
  }

  /**
   * First offset, from {@code fromOffset} on, of a record whose timestamp is at least {@code timestampMs}. A compressed batch
   * is decompressed to look, one record at a time.
   */
  Optional<TimedOffset> firstFrom(long timestampMs, long fromOffset) throws IOException {
    BatchWalker walk = walkAfterOlder(timestampMs);
    while (nextIntact(walk)) {
      if (walk.lastOffset() >= fromOffset && walk.maxTimestampMs() >= timestampMs) {
        Optional<TimedOffset> found = firstRecord(walk, timestampMs, fromOffset);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /** Greatest timestamp of all records from {@code fromOffset} on, whatever headers say; the least long if there are none. */
  long greatestTime(long fromOffset) throws IOException {
    long greatestMs = Long.MIN_VALUE;
    BatchWalker walk = walkFrom(0, segment.baseOffset());
    while (nextIntact(walk)) {
      if (walk.lastOffset() >= fromOffset && walk.maxTimestampMs() > greatestMs) {
        greatestMs = Math.max(greatestMs, greatestTime(walk, fromOffset));
      }
    }
    return greatestMs;
  }

  /** Steps on. @return false at the end; a flipped timestamp must not send anybody past records, so any damage is thrown */
  private boolean nextIntact(BatchWalker walk) throws IOException {
    if (!walk.next()) {
      if (!walk.atEnd()) {
        throw damaged(walk);
      }
      return false;
    }
    if (!walk.isIntact()) {
      throw new LogDamagedException(segment.file().path(), walk.position(), walk.fault(), walk.baseOffset());
    }
    return true;
  }

  private Optional<BatchWalker> hintedWalk(long offset) throws IOException {
    Optional<OffsetEntry> hint = offsetHint(offset);
    if (hint.isEmpty() || hint.get().position() < 0 || hint.get().position() >= segment.sizeBytes()) {
      return Optional.empty();
    }
    BatchWalker walk = walkFrom(hint.get().position(), BatchWalker.ANY_OFFSET);
    return walk.next() && walk.lastOffset() == hint.get().lastOffset() ? Optional.of(walk) : Optional.empty();
  }

  private static boolean walkTo(BatchWalker walk, long offset) throws IOException {
    while (walk.lastOffset() < offset) {
      if (!walk.next()) {
        return false;
      }
    }
    return walk.baseOffset() <= offset;
  }

  /** A walk that stands after a batch up to which every timestamp is below {@code timestampMs}, or before the first batch. */
  private BatchWalker walkAfterOlder(long timestampMs) throws IOException {
    Optional<TimeEntry> hint = timeHint(timestampMs);
    if (hint.isPresent()) {
      long lastOffset = hint.get().lastOffset();
      if (lastOffset >= segment.baseOffset() && lastOffset < segment.nextOffset()) {
        BatchWalker walk = batchHolding(lastOffset);
        if (walk.lastOffset() == lastOffset && walk.maxTimestampMs() == hint.get().timestampMs()) {
          return walk;
        }
      }
    }
    return walkFrom(0, segment.baseOffset());
  }

  private Optional<TimedOffset> firstRecord(BatchWalker walk, long timestampMs, long fromOffset) throws IOException {
    byte[] bytes = bytesOf(walk);
    try (RecordCursor records = RecordBatch.frame(bytes, 0, bytes.length).cursor()) {
      while (records.next()) {
        if (records.offset() >= fromOffset && records.timestampMs() >= timestampMs) {
          return Optional.of(new TimedOffset(records.offset(), records.timestampMs()));
        }
      }
      return Optional.empty(); // a producer's greatest timestamp may be one that no record has
    } catch (InvalidBatchException e) {
      throw new LogDamagedException(segment.file().path(), walk.position(), e.getMessage());
    }
  }

  private long greatestTime(BatchWalker walk, long fromOffset) throws IOException {
    long greatestMs = Long.MIN_VALUE;
    byte[] bytes = bytesOf(walk);
    try (RecordCursor records = RecordBatch.frame(bytes, 0, bytes.length).cursor()) {
      while (records.next()) {
        if (records.offset() >= fromOffset) {
          greatestMs = Math.max(greatestMs, records.timestampMs());
        }
      }
      return greatestMs;
    } catch (InvalidBatchException e) {
      throw new LogDamagedException(segment.file().path(), walk.position(), e.getMessage());
    }
  }

  private byte[] bytesOf(BatchWalker walk) throws IOException {
    byte[] bytes = new byte[walk.sizeBytes()];
    int count = file.read(ByteBuffer.wrap(bytes), walk.position());
    if (count < bytes.length) {
      throw new IOException(segment.file().path() + " ends at " + (walk.position() + count) + ", in a batch");
    }
    return bytes;
  }

  private BatchWalker walkFrom(int position, long expectedOffset) {
    return new BatchWalker(file, position, segment.sizeBytes(), expectedOffset, BatchWalker.LOOKUP_WINDOW_BYTES);
  }

  private Optional<OffsetEntry> offsetHint(long offset) {
    try {
      return segment.floor(offset);
    } catch (IOException e) { // an index that cannot be read is no hint; the log decides
      return Optional.empty();
    }
  }

  private Optional<TimeEntry> timeHint(long timestampMs) {
    try {
      return segment.lower(timestampMs);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private LogDamagedException damaged(BatchWalker walk) {
    return new LogDamagedException(segment.file().path(), walk.nextPosition(), walk.fault(), walk.nextOffset());
  }
}
