package kaka.log;

import java.io.IOException;
import java.util.TreeSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a rewritten segment in the place of those it was made from, so that a crash leaves the old ones or the new one:
 *
 * <pre>
 * 1  a.log.cleaned is written and synced          a crash: it is deleted at the next open
 * 2  a.log.cleaned becomes a.log.swap, directory synced: from here on the next open goes on with 3
 * 3  the old logs between it and its successor, and old indexes, are deleted, directory synced
 * 4  a.log.swap becomes a.log, directory synced
 * 5  its indexes are written; missing ones are made at the next open
 * </pre>
 *
 * A .swap file holds records whose only other copy may be gone: one that is damaged, or that ends where no segment begins, is
 * damage, and nothing is changed.
 */
final class CompactionSwap {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionSwap.class);

  private CompactionSwap() {}

  /**
   * Steps 2 to 5. The caller holds the files of the old segments open for their readers.
   *
   * @throws IOException the swap may be finished only by the next open; the old segments are readable through what is open
   */
  static SealedSegment swap(Disk disk, LogFiles files, SegmentRewrite rewrite) throws IOException {
    disk.move(files.cleaned(rewrite.baseOffset()), files.swap(rewrite.baseOffset()));
    disk.syncDirectory(files.directory());
    finish(disk, files, rewrite.baseOffset(), rewrite.nextOffset());
    try {
      rewrite.index().writeTo(disk, files);
    } catch (IOException e) { // only a hint: reads are slower without it
      LOG.warn("index not stored partition={} segment={}", files.partition(), rewrite.baseOffset(), e);
    }
    return rewrite.sealed();
  }

  /** Steps 3 and 4. */
  private static void finish(Disk disk, LogFiles files, long baseOffset, long nextOffset) throws IOException {
    for (String name : disk.list(files.directory())) {
      boolean isReplaced =
          LogFiles.parse(name)
              .filter(part -> part.isLog() || part.isIndex())
              .filter(
                  part ->
                      part.baseOffset() > baseOffset && part.baseOffset() < nextOffset
                          || part.baseOffset() == baseOffset && part.isIndex())
              .isPresent();
      if (isReplaced) {
        disk.delete(files.directory().resolve(name));
      }
    }
    disk.syncDirectory(files.directory());
    disk.move(files.swap(baseOffset), files.log(baseOffset));
    disk.syncDirectory(files.directory());
  }

  /**
   * At open, before anything else looks at the segments: finishes what was committed, deletes what was not.
   *
   * @throws LogDamagedException if a .swap file is not what was written; nothing was changed then
   */
  static void recover(Disk disk, LogFiles files, long logStartOffset) throws IOException {
    Set<Long> bases = new TreeSet<>();
    Set<Long> swaps = new TreeSet<>();
    for (String name : disk.list(files.directory())) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
      LogFiles.parseSwap(name).ifPresent(swaps::add);
    }
    for (long baseOffset : swaps) {
      long nextOffset = endOf(disk, files, baseOffset);
      if (nextOffset <= logStartOffset) { // retention has taken what it would replace
        disk.delete(files.swap(baseOffset));
        continue;
      }
      if (!bases.contains(nextOffset)) {
        throw new LogDamagedException(
            files.swap(baseOffset), 0, "stands for the offsets before " + nextOffset + ", where no segment starts");
      }
      finish(disk, files, baseOffset, nextOffset);
      LOG.info(
          "interrupted compaction finished partition={} segment={} next_segment={}",
          files.partition(),
          baseOffset,
          nextOffset);
    }
    deleteCleaned(disk, files);
  }

  /** Best effort: they only take room. */
  private static void deleteCleaned(Disk disk, LogFiles files) throws IOException {
    for (String name : disk.list(files.directory())) {
      if (LogFiles.isCleaned(name)) {
        try {
          disk.delete(files.directory().resolve(name));
        } catch (IOException e) {
          LOG.warn("file of an interrupted compaction not deleted partition={} file={}", files.partition(), name, e);
        }
      }
    }
  }

  /** Reads all of the file; returns the offset after its last batch. */
  static long endOf(Disk disk, LogFiles files, long baseOffset) throws IOException {
    try (DiskFile file = disk.openForReading(files.swap(baseOffset))) {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes == 0 || sizeBytes > Integer.MAX_VALUE) {
        throw new LogDamagedException(files.swap(baseOffset), 0, "a compacted segment of " + sizeBytes + " bytes");
      }
      BatchWalker walk = new BatchWalker(file, 0, (int) sizeBytes, baseOffset, BatchWalker.SCAN_WINDOW_BYTES);
      while (walk.next()) {
        if (!walk.isIntact()) {
          throw new LogDamagedException(files.swap(baseOffset), walk.position(), walk.fault());
        }
      }
      if (!walk.atEnd()) {
        throw new LogDamagedException(files.swap(baseOffset), walk.nextPosition(), walk.fault());
      }
      return walk.nextOffset();
    }
  }
}
