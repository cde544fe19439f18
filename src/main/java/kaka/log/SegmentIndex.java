package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Both indexes of a segment while they grow, batch by batch, with Kafka's rule: an entry whenever more than the interval was
 * appended since the last one, for the batch that comes then; so none for a segment's first batch.
 */
final class SegmentIndex {
  private final long baseOffset;
  private final int intervalBytes;
  private final OffsetIndex offsets = new OffsetIndex();
  private final TimeIndex times = new TimeIndex();
  private long bytesSinceEntry;
  private long maxTimestampMs = TimeIndex.NO_TIMESTAMP;
  private int maxTimestampRelativeOffset;

  SegmentIndex(long baseOffset, int intervalBytes) {
    this.baseOffset = baseOffset;
    this.intervalBytes = intervalBytes;
  }

  /** Takes note of the batch that was put at {@code position}. */
  void add(long lastOffset, int position, int sizeBytes, long batchMaxTimestampMs) {
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
}
