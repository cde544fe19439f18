package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/** Writes every index of a closed log anew, from the log, whatever the old ones say; checks each sealed segment on the way. */
public final class Reindexing {
  private Reindexing() {}

  /**
   * @param indexIntervalBytes as in {@link LogConfig}
   * @param progress told how many bytes more were read
   * @return how many segments have new indexes: all but the newest, whose index the next open makes
   * @throws LogDamagedException if a segment is not whole: the indexes of those before it are written then
   */
  public static int run(Disk disk, Path directory, int indexIntervalBytes, LongConsumer progress) throws IOException {
    LogFiles files = new LogFiles(directory);
    TreeSet<Long> bases = new TreeSet<>();
    for (String name : disk.list(directory)) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
    }
    if (bases.isEmpty()) {
      throw new LogDamagedException(directory, 0, "no segment, though the log was created");
    }
    CleanStop.remove(disk, files); // it has the newest one's
    SealedSegmentOpening opening = new SealedSegmentOpening(disk, files, indexIntervalBytes);
    int count = 0;
    long logStartOffset = LogStartOffset.read(disk, files);
    for (long base : bases.headSet(bases.last())) {
      if (bases.higher(base) <= logStartOffset) {
        continue; // the next open deletes it
      }
      long before = opening.scannedBytes();
      opening.reindex(base, bases.higher(base));
      progress.accept(opening.scannedBytes() - before);
      count++;
    }
    return count;
  }
}
