package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import kaka.record.Codec;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * Makes a partition of another broker's: checks a {@link KafkaPartition}, copies it into a directory of its own, and puts that
 * into its place. The copy is nobody's until {@link #place}; the registry's log says in between that it is wanted, so a crash
 * leaves nothing or all of it.
 *
 * <p>Batches are stored as they are but for the leader epoch. Transaction markers are kept, and are nobody's records; records of
 * aborted transactions are kept too: readers of what is committed are not shown them. The log starts where the first segment does.
 */
public final class PartitionImport {
  private static final String SUFFIX = ".import";

  private PartitionImport() {}

  /**
   * What a log holds.
   *
   * @param missingCount offsets between the first and the last that have no batch, as compaction leaves them
   * @param abortedCount transactions that ended so
   * @param openCount transactions that did not end
   */
  public record Contents(
      long startOffset,
      long endOffset,
      long batchCount,
      long recordCount,
      long markerCount,
      long abortedCount,
      long openCount,
      long missingCount,
      Set<Codec> codecs) {
    public Contents {
      codecs = Set.copyOf(codecs);
    }
  }

  /** Reads and checks all of {@code source}, and changes nothing. */
  public static Contents check(KafkaPartition source, LongConsumer progress) throws IOException {
    Counting counting = new Counting(source.startOffset());
    source.read(counting, progress);
    return counting.contents();
  }

  /** Where a copy is made, before it is a partition: no partition's name ends so. */
  public static Path directory(Path dataDirectory, UUID importId) {
    return dataDirectory.resolve(TopicIds.text(importId) + SUFFIX);
  }

  /** Whether {@code name} is that of such a directory. */
  public static boolean isDirectory(String name) {
    return name.length() == TopicIds.TEXT_SIZE + SUFFIX.length() && name.endsWith(SUFFIX);
  }

  /**
   * Checks all of {@code source}, and copies it into {@code directory}, which does not exist; durable when it returns.
   *
   * @param topicId whose partition it will be
   */
  public static Contents copy(
      Disk disk, KafkaPartition source, Path directory, UUID topicId, int indexIntervalBytes, LongConsumer progress)
      throws IOException {
    disk.createDirectory(directory);
    LogFiles files = new LogFiles(directory);
    try (Copying copying = new Copying(disk, files, source.startOffset(), indexIntervalBytes)) {
      source.read(copying, progress);
      copying.finish();
      LogStartOffset.write(disk, files, source.startOffset(), source.startOffset());
      disk.syncDirectory(directory);
      PartitionMetadata.write(disk, files, topicId);
      disk.syncDirectory(WholeFile.parentOf(directory));
      return copying.contents();
    }
  }

  /**
   * Makes the copy the partition, if that was not done yet; durable when it returns. What a crash leaves of it, the same call
   * finishes.
   *
   * @throws IOException if the disk refuses, or the partition has records
   */
  public static void place(Disk disk, Path copy, Path partition, UUID topicId) throws IOException {
    if (!disk.isDirectory(copy)) {
      return;
    }
    if (disk.isDirectory(partition)) {
      if (!isEmpty(disk, partition)) {
        throw new IOException(partition + " has records: what was imported stays in " + copy);
      }
      if (PartitionDirectory.isCreated(disk, partition)) {
        PartitionDeletion.delete(disk, partition, topicId);
      } else {
        discard(disk, partition);
      }
    }
    disk.move(copy, partition);
    disk.syncDirectory(WholeFile.parentOf(partition));
  }

  /** Whether nothing was ever stored in the partition. */
  public static boolean isEmpty(Disk disk, Path partition) throws IOException {
    LogFiles files = new LogFiles(partition);
    for (String name : disk.list(partition)) {
      if (LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).isPresent()) {
        try (DiskFile file = disk.openForReading(partition.resolve(name))) {
          if (file.sizeBytes() > 0 || !files.log(0).endsWith(name)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Deletes a copy that nobody wants; files that are not a partition's stay, and then the directory, too. */
  public static void discard(Disk disk, Path directory) throws IOException {
    for (String name : disk.list(directory)) {
      if (LogFiles.isPartOfLog(directory.resolve(name)) || LogFiles.isTemporary(name)) {
        disk.delete(directory.resolve(name));
      }
    }
    disk.delete(directory);
    disk.syncDirectory(WholeFile.parentOf(directory));
  }

  private static class Counting implements KafkaPartition.Visitor {
    private static final int MARKER_KEY_BYTES = 4; // version i16, type i16: 0 abort, 1 commit

    private final long startOffset;
    private final EnumSet<Codec> codecs = EnumSet.noneOf(Codec.class);
    private final Set<Long> open = new HashSet<>();
    private long endOffset;
    private long batchCount;
    private long recordCount;
    private long markerCount;
    private long abortedCount;
    private long missingCount;

    Counting(long startOffset) {
      this.startOffset = startOffset;
      this.endOffset = startOffset;
    }

    @Override
    public void segment(long baseOffset) throws IOException {
      missingCount += Math.max(0, baseOffset - endOffset);
      endOffset = Math.max(endOffset, baseOffset);
    }

    @Override
    public void batch(RecordBatch batch) throws IOException {
      batchCount++;
      missingCount += batch.baseOffset() - endOffset;
      endOffset = batch.lastOffset() + 1;
      try {
        codecs.add(batch.codec());
        if (batch.isControl()) {
          markers(batch);
        } else {
          recordCount += batch.recordCount();
          if (batch.isTransactional()) {
            open.add(batch.producerId());
          }
        }
      } catch (InvalidBatchException e) {
        throw new IOException(e);
      }
    }

    private void markers(RecordBatch batch) throws InvalidBatchException {
      open.remove(batch.producerId());
      try (RecordCursor records = batch.cursor()) {
        while (records.next()) {
          markerCount++;
          boolean isAbort =
              records.keySize() >= MARKER_KEY_BYTES
                  && records.array()[records.keyPosition() + 2] == 0
                  && records.array()[records.keyPosition() + 3] == 0;
          abortedCount += isAbort ? 1 : 0;
        }
      }
    }

    Contents contents() {
      return new Contents(
          startOffset,
          endOffset,
          batchCount,
          recordCount,
          markerCount,
          abortedCount,
          open.size(),
          missingCount,
          codecs);
    }
  }

  private static final class Copying extends Counting implements AutoCloseable {
    private final Disk disk;
    private final LogFiles files;
    private final int indexIntervalBytes;
    private final ImportedTransactions transactions = new ImportedTransactions();
    private ProducerState openAtBase = new ProducerState();
    private ImportedSegment segment;
    private long base;

    Copying(Disk disk, LogFiles files, long startOffset, int indexIntervalBytes) {
      super(startOffset);
      this.disk = disk;
      this.files = files;
      this.indexIntervalBytes = indexIntervalBytes;
    }

    @Override
    public void segment(long baseOffset) throws IOException {
      super.segment(baseOffset);
      if (segment != null) {
        segment.seal(baseOffset);
        transactions.seal(disk, files, base, baseOffset);
        close();
      }
      openAtBase = transactions.open();
      base = baseOffset;
      segment = new ImportedSegment(disk, files, baseOffset, indexIntervalBytes);
    }

    @Override
    public void batch(RecordBatch batch) throws IOException {
      super.batch(batch);
      segment.add(batch);
      transactions.add(batch);
    }

    /** The last segment is the one that grows on. Nothing is remembered of producers before it but their open transactions. */
    void finish() throws IOException {
      RecoveryPoint synced = segment.sync();
      try (RecoveryPointFile point = RecoveryPointFile.open(disk, files)) {
        point.write(synced);
        point.sync();
      }
      if (base > 0) {
        ProducerSnapshot.write(disk, files, base, openAtBase);
      }
    }

    @Override
    public void close() throws IOException {
      if (segment != null) {
        ImportedSegment closing = segment;
        segment = null;
        closing.close();
      }
    }
  }
}
