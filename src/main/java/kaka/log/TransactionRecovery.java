package kaka.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees that every sealed segment of a log with transactions has the index of those that were aborted: one that is missing, or is
 * none, is made anew from the batches, from the log's first transaction on. Where it is not known which transactions are open,
 * that walk finds them, too.
 */
final class TransactionRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionRecovery.class);

  private final Disk disk;
  private final LogFiles files;
  private final SealedSegment[] sealed;

  /** @param sealed those that have aborted transactions are replaced by such as know it */
  TransactionRecovery(Disk disk, LogFiles files, SealedSegment[] sealed) {
    this.disk = disk;
    this.files = files;
    this.sealed = sealed;
  }

  /**
   * @param producers what the sealed segments left
   * @param isComplete whether that is all of it
   */
  void recover(ProducerState producers, boolean isComplete) throws IOException {
    long from = isComplete ? producers.transactionsFrom() : 0;
    boolean[] isRead = new boolean[sealed.length];
    int last = isComplete ? -1 : sealed.length - 1;
    for (int i = 0; i < sealed.length; i++) {
      isRead[i] = sealed[i].nextOffset() <= from || read(i);
      last = isRead[i] ? last : Math.max(last, i);
    }
    ProducerState walked = new ProducerState();
    List<AbortedIndex.Entries> found = new ArrayList<>();
    for (int i = 0; i <= last; i++) {
      found.add(sealed[i].nextOffset() > from ? walk(sealed[i], walked) : AbortedIndex.Entries.NONE);
    }
    for (int i = 0; i <= last; i++) {
      if (!isRead[i] && sealed[i].nextOffset() > walked.transactionsFrom()) {
        replace(i, found.get(i));
      }
    }
    if (!isComplete) {
      producers.adoptTransactions(walked);
    }
  }

  /** Compaction can have been interrupted before it deleted those of segments that are no more. Best effort. */
  void deleteOrphans(Set<Long> bases) {
    try {
      for (String name : disk.list(files.directory())) {
        LogFiles.parse(name)
            .filter(part -> part.isAbortedIndex() && !bases.contains(part.baseOffset()))
            .ifPresent(part -> deleteIndex(disk, files, part.baseOffset()));
      }
    } catch (IOException e) {
      LOG.warn("old indexes of aborted transactions not deleted partition={} cause={}", files.partition(), e.toString());
    }
  }

  /** If it is there; its segment is no more. */
  static void deleteIndex(Disk disk, LogFiles files, long baseOffset) {
    try {
      if (disk.exists(files.abortedIndex(baseOffset))) {
        disk.delete(files.abortedIndex(baseOffset));
      }
    } catch (IOException e) {
      LOG.warn("old index of aborted transactions not deleted partition={} cause={}", files.partition(), e.toString());
    }
  }

  private boolean read(int i) {
    try {
      AbortedIndex.Entries entries =
          AbortedIndex.read(disk, files, sealed[i].baseOffset(), sealed[i].nextOffset());
      sealed[i] = sealed[i].withAborted(entries.count());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private AbortedIndex.Entries walk(SealedSegment segment, ProducerState producers) throws IOException {
    AbortedIndex aborted = new AbortedIndex();
    try (DiskFile file = disk.openForReading(files.log(segment.baseOffset()))) {
      BatchWalker walk =
          new BatchWalker(file, 0, segment.sizeBytes(), segment.baseOffset(), BatchWalker.SCAN_WINDOW_BYTES);
      while (walk.next()) {
        walk.addTo(producers, segment.lastModifiedMs()).ifPresent(aborted::add);
      }
      if (!walk.atEnd()) {
        throw new LogDamagedException(files.log(segment.baseOffset()), walk.nextPosition(), walk.fault());
      }
    }
    return aborted.entries();
  }

  /** Where the disk does not take the file, what it would say is kept in memory until the next start. */
  private void replace(int i, AbortedIndex.Entries entries) {
    long baseOffset = sealed[i].baseOffset();
    try {
      AbortedIndex.write(disk, files, baseOffset, entries);
      sealed[i] = sealed[i].withAborted(entries.count());
      LOG.warn("index of aborted transactions rebuilt partition={} segment={}", files.partition(), baseOffset);
    } catch (IOException e) {
      sealed[i] = sealed[i].withAborted(entries);
      LOG.warn(
          "index of aborted transactions rebuilt but not stored partition={} segment={}", files.partition(), baseOffset, e);
    }
  }
}
