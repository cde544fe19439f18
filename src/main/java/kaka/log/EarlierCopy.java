package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A partition's directory in an earlier backup, for the segments of it that are still as they were: a new backup need not copy
 * them, it gives them a second name.
 *
 * <p>A segment is taken for unchanged if its size, the time of its last write, and the header of its last batch, with its CRC,
 * are the same: nobody changes a sealed segment but compaction, and a hand that cuts a log off, after which it is written anew.
 * Compaction keeps the time and may keep the last batch: where it has been, every byte is compared. The newest segment, which a
 * broker would write to, is never given a second name.
 */
final class EarlierCopy {
  private final Disk disk;
  private final LogFiles files;
  private final TreeSet<Long> bases = new TreeSet<>();

  private EarlierCopy(Disk disk, Path directory) throws IOException {
    this.disk = disk;
    this.files = new LogFiles(directory);
    for (String name : disk.list(directory)) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
    }
  }

  /** Those of {@code directories} that hold the log of that topic; what cannot be read is none. */
  static List<EarlierCopy> of(Disk disk, List<Path> directories, UUID topicId) {
    return directories.stream().map(directory -> of(disk, directory, topicId)).flatMap(Optional::stream).toList();
  }

  private static Optional<EarlierCopy> of(Disk disk, Path directory, UUID topicId) {
    try {
      return disk.isDirectory(directory) && PartitionDirectory.isOf(disk, directory, topicId)
          ? Optional.of(new EarlierCopy(disk, directory))
          : Optional.empty();
    } catch (IOException e) { // then it is of no use here; whoever checks that backup hears of it
      return Optional.empty();
    }
  }

  /** Where the segment ends that begins at {@code base}, and its size. */
  record Linked(long nextOffset, long sizeBytes) {}

  /**
   * Gives a segment and its indexes a second name in {@code target}, if it is unchanged.
   *
   * @param isCompared whether every byte must be looked at
   */
  Optional<Linked> link(LogFiles source, LogFiles target, long base, boolean isCompared) throws IOException {
    Long next = bases.higher(base);
    if (!bases.contains(base) || next == null) {
      return Optional.empty();
    }
    long sizeBytes;
    try (DiskFile there = disk.openForReading(source.log(base));
        DiskFile here = disk.openForReading(files.log(base))) {
      sizeBytes = here.sizeBytes();
      if (there.sizeBytes() != sizeBytes
          || sizeBytes > Integer.MAX_VALUE
          || disk.lastModifiedMs(source.log(base)) != disk.lastModifiedMs(files.log(base))
          || !hasLastBatchOf(here, there, base, next, (int) sizeBytes)
          || isCompared && !FileCopy.isCopy(there, 0, (int) sizeBytes, here)) {
        return Optional.empty();
      }
    }
    try {
      disk.link(files.log(base), target.log(base));
    } catch (IOException e) { // the file system cannot: it is copied
      return Optional.empty();
    }
    linkIndex(files.offsetIndex(base), target.offsetIndex(base));
    linkIndex(files.timeIndex(base), target.timeIndex(base));
    return Optional.of(new Linked(next, sizeBytes));
  }

  /** An index that is not there is made anew by the next open. */
  private void linkIndex(Path index, Path link) throws IOException {
    if (disk.exists(index)) {
      disk.link(index, link);
    }
  }

  private boolean hasLastBatchOf(DiskFile here, DiskFile there, long base, long next, int sizeBytes) throws IOException {
    OptionalLong last = lastBatch(here, base, next, sizeBytes);
    if (last.isEmpty()) {
      return false;
    }
    ByteBuffer header = CleanStop.headerAt(here, (int) last.getAsLong());
    return CleanStop.headerAt(there, (int) last.getAsLong()).equals(header);
  }

  /** Where the last batch begins, if the headers from the index's last entry on lead to where the next segment begins. */
  private OptionalLong lastBatch(DiskFile log, long base, long next, int sizeBytes) throws IOException {
    int from = 0;
    long expected = base;
    if (disk.exists(files.offsetIndex(base))) {
      try (IndexFile index = IndexFile.open(disk, files.offsetIndex(base), OffsetIndex.ENTRY_BYTES)) {
        if (index.count() > 0) {
          from = index.int32(index.count() - 1, 4);
          expected = BatchWalker.ANY_OFFSET;
        }
      }
    }
    BatchWalker walk = new BatchWalker(log, from, sizeBytes, expected, BatchWalker.LOOKUP_WINDOW_BYTES);
    OptionalLong last = OptionalLong.empty();
    while (walk.next()) {
      last = OptionalLong.of(walk.position());
    }
    return walk.atEnd() && walk.nextOffset() == next ? last : OptionalLong.empty();
  }
}
