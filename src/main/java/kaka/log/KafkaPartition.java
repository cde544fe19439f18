package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * A partition's directory as Apache Kafka writes it, read from its first segment to its last and not changed. Only the
 * {@code .log} files count:
 *
 * <pre>
 * NNN.log                   the records
 * NNN.index, .timeindex     not read: indexes are made anew
 * NNN.txnindex              not read: the markers in the log say the same
 * NNN.snapshot              not read: what was remembered of producers that do not come back
 * leader-epoch-checkpoint   not read: there is one broker, and one epoch
 * partition.metadata        not read: the topic gets an id of its own
 * *.deleted, *.cleaned      passed over: Kafka had given them up, or had not finished them
 * *.swap                    refused: a compaction that Kafka finishes when it starts
 * anything else             passed over and named
 * </pre>
 */
public final class KafkaPartition {
  /** A larger batch than our own clients could have sent is not taken: it has to be held whole. */
  static final int MAX_BATCH_BYTES = 64 << 20;

  private static final String START_KAFKA = "Start Kafka once and stop it: it repairs that";

  /** Kafka leaves zeros only where it is told to set space aside; kaka does by itself, and its segments can be read here too. */
  private static final String START_BROKER = "Start once, and stop, the broker that wrote it: it takes them off";

  private static final Pattern NOT_NEEDED =
      Pattern.compile(
          "\\d{20}\\.(index|timeindex|txnindex|snapshot)|leader-epoch-checkpoint|partition\\.metadata|.*\\.(deleted|cleaned)");

  private final Disk disk;
  private final Path directory;

  /** Base offset to bytes. */
  private final TreeMap<Long, Long> segments;

  private final List<String> unknown;

  private KafkaPartition(Disk disk, Path directory, TreeMap<Long, Long> segments, List<String> unknown) {
    this.disk = disk;
    this.directory = directory;
    this.segments = segments;
    this.unknown = List.copyOf(unknown);
  }

  /** Takes what is found, in order. */
  interface Visitor {
    void segment(long baseOffset) throws IOException;

    /** @param batch checked; its offsets follow those before, maybe after a gap */
    void batch(RecordBatch batch) throws IOException;
  }

  /** @throws IOException if it is no such directory, or one that Kafka has to start on first */
  public static KafkaPartition open(Disk disk, Path directory) throws IOException {
    TreeMap<Long, Long> segments = new TreeMap<>();
    List<String> unknown = new ArrayList<>();
    for (String name : disk.list(directory)) {
      if (name.endsWith(".swap")) {
        throw new IOException(
            directory.resolve(name) + ": a compaction was cut short while it replaced segments; start Kafka once, it finishes that");
      }
      Optional<LogFiles.SegmentPart> log = LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog);
      if (log.isPresent()) {
        try (DiskFile file = disk.openForReading(directory.resolve(name))) {
          segments.put(log.get().baseOffset(), file.sizeBytes());
        }
      } else if (!NOT_NEEDED.matcher(name).matches()) {
        unknown.add(name);
      }
    }
    if (segments.isEmpty()) {
      throw new IOException(directory + " holds no segment (00000000000000000000.log or the like): it is no partition's directory");
    }
    return new KafkaPartition(disk, directory, segments, unknown);
  }

  /** Where its first segment begins. */
  public long startOffset() {
    return segments.firstKey();
  }

  public int segmentCount() {
    return segments.size();
  }

  /** Bytes of all segments. */
  public long sizeBytes() {
    return segments.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Files that are not Kafka's, as far as is known here. */
  public List<String> unknown() {
    return unknown;
  }

  /**
   * Reads and checks everything: magic, sizes, CRC32C, rising offsets, and every record's frame, decompressed if need be.
   *
   * @param progress told how many bytes more were read
   * @throws IOException what is wrong first, with file and position; also if the directory changed meanwhile
   */
  void read(Visitor visitor, LongConsumer progress) throws IOException {
    long nextOffset = startOffset();
    for (long base : segments.keySet()) {
      Long nextBase = segments.higherKey(base);
      visitor.segment(base);
      try (Segment segment = new Segment(base, nextBase == null ? Long.MAX_VALUE : nextBase, Math.max(base, nextOffset))) {
        while (segment.next(visitor)) {
          progress.accept(segment.lastBytes);
        }
        nextOffset = segment.nextOffset;
      }
    }
    if (!open(disk, directory).segments.equals(segments)) {
      throw new IOException(directory + " changed while it was read: stop Kafka first");
    }
  }

  private final class Segment implements Closeable {
    private final Path log;
    private final DiskFile file;
    private final long sizeBytes;
    private final long end;
    private final ByteBuffer header = ByteBuffer.allocate(BatchHeader.SIZE);
    private long nextOffset;
    private long position;
    private int lastBytes;

    Segment(long baseOffset, long end, long nextOffset) throws IOException {
      this.log = directory.resolve(new LogFiles(directory).log(baseOffset).getFileName());
      this.file = disk.openForReading(log);
      this.sizeBytes = segments.get(baseOffset);
      this.end = end;
      this.nextOffset = nextOffset;
    }

    boolean next(Visitor visitor) throws IOException {
      if (position == sizeBytes) {
        return false;
      }
      RecordBatch batch = read(batchBytes());
      check(batch);
      visitor.batch(batch);
      position += batch.sizeBytes();
      lastBytes = batch.sizeBytes();
      nextOffset = batch.lastOffset() + 1;
      return true;
    }

    private int batchBytes() throws IOException {
      int count = file.read(header.clear(), position);
      if (count > BatchHeader.MAGIC && header.get(BatchHeader.MAGIC) >= 0 && header.get(BatchHeader.MAGIC) < BatchHeader.MAGIC_V2) {
        if (isZeros(count)) {
          throw bad("zeros instead of a batch: space that was set aside, or a torn end. " + START_BROKER);
        }
        throw bad(
            "message format " + header.get(BatchHeader.MAGIC)
                + ", magic below 2, of Kafka before 0.11: only format 2 is taken. Have Kafka write it anew, by a consumer and a producer");
      }
      if (count < BatchHeader.SIZE) {
        throw bad("batch header cut short: a torn end. " + START_KAFKA);
      }
      if (header.get(BatchHeader.MAGIC) != BatchHeader.MAGIC_V2) {
        throw bad("magic " + header.get(BatchHeader.MAGIC) + ", not 2");
      }
      long bytes = (long) header.getInt(BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
      if (bytes < BatchHeader.SIZE) {
        throw bad("batch of " + bytes + " bytes");
      }
      if (bytes > sizeBytes - position) {
        throw bad("batch of " + bytes + " bytes cut short: a torn end. " + START_KAFKA);
      }
      if (bytes > MAX_BATCH_BYTES) {
        throw bad("batch of " + bytes + " bytes, at most " + MAX_BATCH_BYTES + " are taken");
      }
      return (int) bytes;
    }

    private boolean isZeros(int count) {
      for (int i = 0; i < count; i++) {
        if (header.get(i) != 0) {
          return false;
        }
      }
      return true;
    }

    private RecordBatch read(int bytes) throws IOException {
      byte[] whole = new byte[bytes];
      if (file.read(ByteBuffer.wrap(whole), position) < bytes) {
        throw bad("the file became shorter: stop Kafka first");
      }
      try {
        return RecordBatch.frame(whole, 0, bytes);
      } catch (InvalidBatchException e) {
        throw bad(e.getMessage());
      }
    }

    private void check(RecordBatch batch) throws IOException {
      if (!batch.isCrcValid()) {
        throw bad("CRC32C does not fit");
      }
      if (batch.baseOffset() < nextOffset || batch.lastOffsetDelta() < 0) {
        throw bad(
            "offsets " + batch.baseOffset() + " to " + batch.lastOffset() + ", but " + nextOffset + " is the least that may follow");
      }
      if (batch.lastOffset() >= end || batch.lastOffset() < batch.baseOffset()) {
        throw bad("offsets " + batch.baseOffset() + " to " + batch.lastOffset() + ", but the next segment starts at " + end);
      }
      if (batch.recordCount() < 0) {
        throw bad("record count " + batch.recordCount());
      }
      try (RecordCursor records = batch.cursor()) {
        long least = batch.baseOffset();
        int count = 0;
        for (; records.next(); count++) {
          if (records.offset() < least || records.offset() > batch.lastOffset()) {
            throw bad("a record's offset is " + records.offset() + ", " + least + " to " + batch.lastOffset() + " could be");
          }
          least = records.offset() + 1;
        }
        if (count != batch.recordCount()) {
          throw bad(count + " records, but its header says " + batch.recordCount());
        }
      } catch (InvalidBatchException e) {
        throw bad(e.getMessage());
      }
    }

    private IOException bad(String what) {
      return new IOException(log + " at byte " + position + ": " + what);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
