package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/**
 * Walks all of one segment file for people who look into it: every batch with its CRC checked, and past damage to the next
 * batch that is whole. Reads only. Not for sharing between threads.
 */
public final class SegmentScan implements Closeable {
  public sealed interface Piece {
    /** Where it starts in the file. */
    long position();

    int sizeBytes();
  }

  /** A batch that is as it was written. */
  public record Whole(long position, int sizeBytes, long baseOffset, long lastOffset, long maxTimestampMs, boolean isTransactional)
      implements Piece {}

  /**
   * Bytes that are no batch, or not the one that must follow.
   *
   * @param firstOffset what the first record in them should have had; empty where no record is whole before them in the file
   * @param nextOffset of the first whole batch after them; empty if none follows
   */
  public record Damaged(long position, int sizeBytes, String fault, OptionalLong firstOffset, OptionalLong nextOffset)
      implements Piece {}

  /** Nothing but zeros to the file's end: what a {@link ZeroedRoom} left, if this is the newest segment. */
  public record Zeroed(long position, int sizeBytes) implements Piece {}

  private final Path path;
  private final DiskFile file;
  private final int end;
  private BatchWalker walk;
  private long expectedOffset;
  private int position;

  private SegmentScan(Path path, DiskFile file, int end, int position, long expectedOffset) {
    this.path = path;
    this.file = file;
    this.end = end;
    this.position = position;
    this.expectedOffset = expectedOffset;
    this.walk = walkFrom(position, expectedOffset);
  }

  /** The segment files of a partition, oldest first. */
  public static List<Path> logsOf(Disk disk, Path directory) throws IOException {
    return disk.list(directory).stream() // in the order of their names, which is that of their offsets
        .filter(name -> LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).isPresent())
        .map(directory::resolve)
        .toList();
  }

  /**
   * @param log a {@code .log} file, or a {@code .cut} one: then the offset of its first batch is whatever it is
   * @throws IOException if it cannot be read, or is larger than a segment can be
   */
  public static SegmentScan open(Disk disk, Path log) throws IOException {
    Optional<LogFiles.SegmentPart> part =
        LogFiles.parse(String.valueOf(log.getFileName())).filter(LogFiles.SegmentPart::isLog);
    return open(disk, log, part.map(LogFiles.SegmentPart::baseOffset).orElse(BatchWalker.ANY_OFFSET));
  }

  static SegmentScan open(Disk disk, Path log, long baseOffset) throws IOException {
    DiskFile file = disk.openForReading(log);
    try {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes > Integer.MAX_VALUE) {
        throw new LogDamagedException(log, 0, "a segment of " + sizeBytes + " bytes");
      }
      return new SegmentScan(log, file, (int) sizeBytes, 0, baseOffset);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  public Path path() {
    return path;
  }

  /** Size of the file. */
  public int sizeBytes() {
    return end;
  }

  /** The next piece; empty at the file's end. The pieces cover the file without gap. */
  public Optional<Piece> next() throws IOException {
    if (position == end) {
      return Optional.empty();
    }
    if (walk.next() && walk.isIntact()) {
      Whole whole =
          new Whole(walk.position(), walk.sizeBytes(), walk.baseOffset(), walk.lastOffset(), walk.maxTimestampMs(), walk.isTransactional());
      position = walk.nextPosition();
      expectedOffset = whole.lastOffset() + 1;
      return Optional.of(whole);
    }
    String fault = walk.fault();
    int start = position;
    if (zerosFrom(start) == start) {
      position = end;
      return Optional.of(new Zeroed(start, end - start));
    }
    // a header that is plausible leads to the next batch; only if it does not, every byte is looked at
    int likely = walk.nextPosition() > start ? walk.nextPosition() : start + 1;
    position = likely < end && isBatch(likely) ? likely : find(start + 1);
    OptionalLong nextOffset = OptionalLong.empty();
    if (position < end) {
      nextOffset = OptionalLong.of(baseOffsetAt(position));
    }
    OptionalLong first = expectedOffset < 0 ? OptionalLong.empty() : OptionalLong.of(expectedOffset);
    walk = walkFrom(position, BatchWalker.ANY_OFFSET);
    return Optional.of(new Damaged(start, position - start, fault, first, nextOffset));
  }

  /** Where the zeros begin with which the file ends; {@code from} if nothing else follows on it. */
  int zerosFrom(int from) throws IOException {
    return Zeros.startAtEnd(file, from, end);
  }

  /** Position of the next whole batch from {@code from} on; the file's end if there is none. */
  private int find(int from) throws IOException {
    ByteBuffer window = ByteBuffer.allocate(BatchWalker.SCAN_WINDOW_BYTES);
    int at = from;
    while (end - at >= BatchHeader.SIZE) {
      window.clear().limit(Math.min(window.capacity(), end - at));
      int count = file.read(window, at);
      int lastStart = count - BatchHeader.SIZE;
      for (int i = 0; i <= lastStart; i++) {
        if (window.get(i + BatchHeader.MAGIC) == BatchHeader.MAGIC_V2
            && window.getInt(i + BatchHeader.LEADER_EPOCH) == BatchWalker.LEADER_EPOCH
            && isBatch(at + i)) {
          return at + i;
        }
      }
      if (lastStart < 0) {
        break;
      }
      at += lastStart + 1;
    }
    return end;
  }

  private boolean isBatch(int at) throws IOException {
    BatchWalker candidate = new BatchWalker(file, at, end, BatchWalker.ANY_OFFSET, BatchWalker.LOOKUP_WINDOW_BYTES);
    return candidate.next() && candidate.isIntact() && candidate.baseOffset() >= expectedOffset;
  }

  private long baseOffsetAt(int at) throws IOException {
    ByteBuffer offset = ByteBuffer.allocate(Long.BYTES);
    file.read(offset, at + BatchHeader.BASE_OFFSET);
    return offset.getLong(0);
  }

  /** All of a batch. */
  public RecordBatch batch(Whole whole) throws IOException {
    byte[] bytes = new byte[whole.sizeBytes()];
    file.read(ByteBuffer.wrap(bytes), whole.position());
    try {
      return RecordBatch.frame(bytes, 0, bytes.length);
    } catch (InvalidBatchException e) { // it was whole a moment ago
      throw new IOException(path + " changes while it is read: " + e.getMessage(), e);
    }
  }

  private BatchWalker walkFrom(int from, long expected) {
    return new BatchWalker(file, from, end, expected, BatchWalker.SCAN_WINDOW_BYTES);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
