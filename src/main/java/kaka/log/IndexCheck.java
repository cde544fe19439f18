package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Holds the two index files of a sealed segment against its batches, which are shown to it in their order: every entry must
 * point to a batch and say of it what is so.
 */
final class IndexCheck implements Closeable {
  private final List<Finding> findings;
  private final Path offsetsPath;
  private final Path timesPath;
  private final IndexFile offsets; // null if there is none to read
  private final IndexFile times;
  private final long baseOffset;
  private boolean offsetsWrong;
  private boolean timesWrong;
  private int offsetEntry;
  private int timeEntry;
  private long maxTimestampMs = TimeIndex.NO_TIMESTAMP;

  IndexCheck(Disk disk, LogFiles files, long baseOffset, List<Finding> findings) throws IOException {
    this.findings = findings;
    this.baseOffset = baseOffset;
    this.offsetsPath = files.offsetIndex(baseOffset);
    this.timesPath = files.timeIndex(baseOffset);
    this.offsets = open(disk, offsetsPath, OffsetIndex.ENTRY_BYTES);
    this.times = open(disk, timesPath, TimeIndex.ENTRY_BYTES);
    this.offsetsWrong = offsets == null;
    this.timesWrong = times == null;
  }

  private IndexFile open(Disk disk, Path path, int entryBytes) {
    try {
      if (!disk.exists(path)) {
        wrong(path, 0, "missing");
        return null;
      }
      return IndexFile.open(disk, path, entryBytes);
    } catch (IOException e) {
      wrong(path, 0, "cannot be read, or is not a whole number of entries: " + e.getMessage());
      return null;
    }
  }

  private void wrong(Path path, long position, String what) {
    findings.add(new Finding(Finding.Level.FAULT, path, position, what, Advice.forIndex(path)));
  }

  void batch(SegmentScan.Whole batch) throws IOException {
    if (!offsetsWrong && offsetEntry < offsets.count()) {
      checkOffset(batch);
    }
    if (!timesWrong && timeEntry < times.count()) {
      checkTime(batch);
    }
    maxTimestampMs = Math.max(maxTimestampMs, batch.maxTimestampMs());
  }

  private void checkOffset(SegmentScan.Whole batch) throws IOException {
    long lastOffset = baseOffset + offsets.int32(offsetEntry, 0);
    int position = offsets.int32(offsetEntry, 4);
    if (position == batch.position() && lastOffset == batch.lastOffset()) {
      offsetEntry++;
    } else if (position <= batch.position() || lastOffset <= batch.lastOffset()) {
      offsetEntryWrong(lastOffset, position);
    }
  }

  private void offsetEntryWrong(long lastOffset, int position) {
    offsetsWrong = true;
    wrong(
        offsetsPath,
        (long) offsetEntry * OffsetIndex.ENTRY_BYTES,
        "says that the batch at byte " + position + " ends with offset " + lastOffset + ", and none does");
  }

  private void checkTime(SegmentScan.Whole batch) throws IOException {
    long timestampMs = times.int64(timeEntry, 0);
    long lastOffset = baseOffset + times.int32(timeEntry, 8);
    if (lastOffset == batch.lastOffset() && timestampMs == batch.maxTimestampMs() && timestampMs > maxTimestampMs) {
      timeEntry++;
    } else if (lastOffset <= batch.lastOffset()) {
      timeEntryWrong(timestampMs, lastOffset);
    }
  }

  private void timeEntryWrong(long timestampMs, long lastOffset) {
    timesWrong = true;
    wrong(
        timesPath,
        (long) timeEntry * TimeIndex.ENTRY_BYTES,
        "says that the batch that ends with offset " + lastOffset + " has timestamp " + timestampMs
            + ", the greatest up to there, and it has not");
  }

  /** After the last batch, of a segment that is whole. */
  void end() throws IOException {
    if (!offsetsWrong && offsetEntry < offsets.count()) {
      offsetEntryWrong(baseOffset + offsets.int32(offsetEntry, 0), offsets.int32(offsetEntry, 4));
    }
    if (!timesWrong && timeEntry < times.count()) {
      timeEntryWrong(times.int64(timeEntry, 0), baseOffset + times.int32(timeEntry, 8));
    }
    if (!timesWrong) {
      int last = times.count() - 1;
      long indexed = last < 0 ? TimeIndex.NO_TIMESTAMP : times.int64(last, 0);
      if (indexed != maxTimestampMs) {
        wrong(timesPath, 0, "its last entry is not the segment's greatest timestamp " + maxTimestampMs);
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (offsets != null) {
        offsets.close();
      }
    } finally {
      if (times != null) {
        times.close();
      }
    }
  }
}
