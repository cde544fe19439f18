package kaka.console;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import kaka.log.LogSnapshot;
import kaka.record.Allowance;

/**
 * What a request to browse finds in one partition, forwards from an offset or backwards from before one, as far as it may look. It
 * ends early rather than late: then {@link #isComplete} is false, and {@link #position} says where the next one goes on.
 */
final class PartitionScan {
  /**
   * How far one request may go in one partition; the first batch is always looked at, or it would never get on.
   *
   * @param maxRecords found
   * @param maxShownBytes of what was found, in an answer
   * @param maxScannedBytes looked at
   * @param deadlineNs of {@link System#nanoTime}
   */
  record Limits(int maxRecords, long maxShownBytes, long maxScannedBytes, long deadlineNs) {
    boolean isLate() {
      return System.nanoTime() - deadlineNs > 0;
    }
  }

  private final int partition;
  private final LogSnapshot log;
  private final RecordFilter filter;
  private final int maxValueBytes;
  private final Limits limits;
  private final Allowance memory;
  private List<ShownRecord> found = new ArrayList<>();
  private long shownBytes;
  private long scannedBytes;
  private long scannedRecords;
  private long position;
  private boolean isComplete;

  /** @param log what is committed of the partition */
  PartitionScan(int partition, LogSnapshot log, RecordFilter filter, int maxValueBytes, Limits limits, Allowance memory) {
    this.partition = partition;
    this.log = log;
    this.filter = filter;
    this.maxValueBytes = maxValueBytes;
    this.limits = limits;
    this.memory = memory;
  }

  /** Looks from {@code from} on. */
  PartitionScan forwards(long from) throws IOException {
    position = Math.max(log.logStartOffset(), Math.min(from, log.highWatermark()));
    try (RecordWalk walk = new RecordWalk(log, position, memory)) {
      while (!walk.isAtEnd() && !isEnough(walk)) {
        if (walk.next() && filter.takes(walk)) {
          add(walk);
        }
      }
      position = walk.isAtEnd() ? log.highWatermark() : walk.position();
      isComplete = position >= log.highWatermark();
      count(walk);
    }
    return this;
  }

  private boolean isEnough(RecordWalk walk) {
    return found.size() >= limits.maxRecords()
        || shownBytes >= limits.maxShownBytes()
        || scannedBytes + walk.scannedBytes() >= limits.maxScannedBytes()
        || walk.scannedBytes() > 0 && limits.isLate();
  }

  private void add(RecordWalk walk) throws IOException {
    ShownRecord record = ShownRecord.of(partition, walk, maxValueBytes, memory);
    found.add(record);
    shownBytes += record.sizeBytes();
  }

  private void count(RecordWalk walk) {
    scannedBytes += walk.scannedBytes();
    scannedRecords += walk.scannedRecords();
  }

  /**
   * Looks before {@code before}, and gives what is nearest to it. Since batches are read from their start on, it takes stretch after
   * stretch, each as long as the log's average promises and shorter where that was wrong.
   */
  PartitionScan backwards(long before) throws IOException {
    position = Math.max(log.logStartOffset(), Math.min(before, log.highWatermark()));
    boolean isFirst = true;
    while (position > log.logStartOffset() && (isFirst || !isEnoughBackwards())) {
      List<ShownRecord> later = found;
      found = new ArrayList<>();
      long stretch = Math.max(1, Math.min(stretch(), position - log.logStartOffset()));
      while (!read(position - stretch, position) && stretch > 1) {
        stretch = Math.max(1, stretch / 4);
      }
      position -= stretch;
      found.addAll(later);
      isFirst = false;
    }
    if (found.size() > limits.maxRecords()) {
      found = found.subList(found.size() - limits.maxRecords(), found.size());
      position = found.get(0).offset();
    }
    isComplete = position <= log.logStartOffset();
    return this;
  }

  private boolean isEnoughBackwards() {
    return found.size() >= limits.maxRecords()
        || shownBytes >= limits.maxShownBytes()
        || scannedBytes >= limits.maxScannedBytes()
        || limits.isLate();
  }

  /** How many offsets to take at once. */
  private long stretch() {
    long offsets = Math.max(1, log.highWatermark() - log.logStartOffset());
    double bytesPerOffset = Math.max(1, (double) log.sizeBytes() / offsets);
    long affordable = (long) Math.max(1, Math.min(limits.maxScannedBytes(), 1 << 20) / bytesPerOffset);
    return filter.takesAll() ? Math.min(affordable, limits.maxRecords() - found.size()) : affordable;
  }

  /** Returns false if that is too much at once; a single offset never is. */
  private boolean read(long from, long to) throws IOException {
    found.clear();
    long shownBefore = shownBytes;
    try (RecordWalk walk = new RecordWalk(log, from, memory)) {
      while (!walk.isAtEnd() && walk.position() < to) {
        if (walk.next() && walk.record().offset() < to && filter.takes(walk)) {
          add(walk);
        }
        boolean isTooMuch = walk.scannedBytes() > 2 * limits.maxScannedBytes() || shownBytes - shownBefore > limits.maxShownBytes();
        if (isTooMuch && to - from > 1) {
          shownBytes = shownBefore;
          count(walk);
          return false;
        }
      }
      count(walk);
      return true;
    }
  }

  int partition() {
    return partition;
  }

  LogSnapshot log() {
    return log;
  }

  /** In the partition's order. */
  List<ShownRecord> found() {
    return found;
  }

  /** Forwards: where to go on; backwards: before which offset. */
  long position() {
    return position;
  }

  /** Whether everything in that direction was looked at. */
  boolean isComplete() {
    return isComplete;
  }

  long scannedBytes() {
    return scannedBytes;
  }

  long scannedRecords() {
    return scannedRecords;
  }
}
