package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Both indexes of a segment while they grow, batch by batch, with Kafka's rule: an entry whenever more than the interval was
 * appended since the last one, for the batch that comes then; so none for a segment's first batch.
 */
final class SegmentIndex {
  private static final int ENCODED_HEAD_BYTES = 4 + 8 + 8 + 4 + 4 + 4;

  private final long baseOffset;
  private final int intervalBytes;
  private final OffsetIndex offsets = new OffsetIndex();
  private final TimeIndex times = new TimeIndex();
  private int lastPosition; // of the batch added last
  private long bytesSinceEntry;
  private long maxTimestampMs = TimeIndex.NO_TIMESTAMP;
  private int maxTimestampRelativeOffset;

  SegmentIndex(long baseOffset, int intervalBytes) {
    this.baseOffset = baseOffset;
    this.intervalBytes = intervalBytes;
  }

  /** Takes note of the batch that was put at {@code position}. */
  void add(long lastOffset, int position, int sizeBytes, long batchMaxTimestampMs) {
    lastPosition = position;
    int relativeOffset = Math.toIntExact(lastOffset - baseOffset);
    if (batchMaxTimestampMs > maxTimestampMs) {
      maxTimestampMs = batchMaxTimestampMs;
      maxTimestampRelativeOffset = relativeOffset;
    }
    if (bytesSinceEntry > intervalBytes) {
      offsets.add(relativeOffset, position);
      times.add(maxTimestampMs, maxTimestampRelativeOffset);
      bytesSinceEntry = 0;
    }
    bytesSinceEntry += sizeBytes;
  }

  OffsetIndex.Entries offsets() {
    return offsets.entries();
  }

  TimeIndex.Entries times() {
    return times.entries();
  }

  /** Where the batch begins that was added last; 0 if there is none. */
  int lastPosition() {
    return lastPosition;
  }

  /** Greatest timestamp of the segment, {@link TimeIndex#NO_TIMESTAMP} if it has none. */
  long maxTimestampMs() {
    return maxTimestampMs;
  }

  /**
   * Writes both files of a segment that is complete, replacing what was under these names; durable when it returns. Each
   * appears whole: a time index cut short would hide the greatest timestamp and look right.
   */
  void writeTo(Disk disk, LogFiles files) throws IOException {
    times.add(maxTimestampMs, maxTimestampRelativeOffset); // the last entry of a sealed segment is its greatest timestamp
    OffsetIndex.Entries offsetEntries = offsets.entries();
    ByteBuffer bytes = ByteBuffer.allocate(offsetEntries.count() * OffsetIndex.ENTRY_BYTES);
    for (int i = 0; i < offsetEntries.count(); i++) {
      bytes.putLong(offsetEntries.packed()[i]);
    }
    WholeFile.replace(disk, files.offsetIndex(baseOffset), bytes.flip());

    TimeIndex.Entries timeEntries = times.entries();
    bytes = ByteBuffer.allocate(timeEntries.count() * TimeIndex.ENTRY_BYTES);
    for (int i = 0; i < timeEntries.count(); i++) {
      bytes.putLong(timeEntries.timestampsMs()[i]).putInt(timeEntries.relativeOffsets()[i]);
    }
    WholeFile.replace(disk, files.timeIndex(baseOffset), bytes.flip());
  }

  /** Bytes that {@link #encode} writes. */
  long encodedBytes() {
    return ENCODED_HEAD_BYTES
        + (long) offsets.entries().count() * OffsetIndex.ENTRY_BYTES
        + (long) times.entries().count() * TimeIndex.ENTRY_BYTES;
  }

  /**
   * All of it, so that {@link #decode} makes one that goes on growing as this one would:
   *
   * <pre>
   * last_position i32 | bytes_since_entry i64 | max_timestamp i64 | its relative_offset i32
   * | n i32 | n x (relative_offset i32 | position i32) | m i32 | m x (timestamp i64 | relative_offset i32)
   * </pre>
   */
  void encode(ByteBuffer target) {
    target.putInt(lastPosition).putLong(bytesSinceEntry).putLong(maxTimestampMs).putInt(maxTimestampRelativeOffset);
    OffsetIndex.Entries offsetEntries = offsets.entries();
    target.putInt(offsetEntries.count());
    for (int i = 0; i < offsetEntries.count(); i++) {
      target.putLong(offsetEntries.packed()[i]);
    }
    TimeIndex.Entries timeEntries = times.entries();
    target.putInt(timeEntries.count());
    for (int i = 0; i < timeEntries.count(); i++) {
      target.putLong(timeEntries.timestampsMs()[i]).putInt(timeEntries.relativeOffsets()[i]);
    }
  }

  /** @param source what {@link #encode} wrote, as a checksum has told */
  static SegmentIndex decode(ByteBuffer source, long baseOffset, int intervalBytes) {
    SegmentIndex index = new SegmentIndex(baseOffset, intervalBytes);
    index.lastPosition = source.getInt();
    index.bytesSinceEntry = source.getLong();
    index.maxTimestampMs = source.getLong();
    index.maxTimestampRelativeOffset = source.getInt();
    for (int left = source.getInt(); left > 0; left--) {
      index.offsets.add(source.getInt(), source.getInt());
    }
    for (int left = source.getInt(); left > 0; left--) {
      index.times.add(source.getLong(), source.getInt());
    }
    return index;
  }
}
