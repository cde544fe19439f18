package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A transaction that was aborted: what its producer wrote from {@code firstOffset} to {@code lastOffset} is to be taken for never
 * written.
 *
 * @param firstOffset of its first batch
 * @param lastOffset of the marker that ended it
 * @param lastStableOffset what that was as soon as this transaction had ended: whatever ends later begins at or after it
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset, long lastStableOffset) {
  /** Whether the file is, by its name, an index of aborted transactions: {@code <base offset>.txnindex}. */
  public static boolean isIndex(Path file) {
    return LogFiles.parse(file.getFileName().toString()).filter(LogFiles.SegmentPart::isAbortedIndex).isPresent();
  }

  /**
   * All that an index says, by where the transactions end.
   *
   * @param file one that {@link #isIndex}
   * @throws IOException if it is none
   */
  public static List<AbortedTransaction> readIndex(Disk disk, Path file) throws IOException {
    long baseOffset = LogFiles.parse(file.getFileName().toString()).orElseThrow().baseOffset();
    AbortedIndex.Entries entries =
        AbortedIndex.read(disk, new LogFiles(file.toAbsolutePath().getParent()), baseOffset, Long.MAX_VALUE);
    List<AbortedTransaction> all = new ArrayList<>();
    for (int i = 0; i < entries.count(); i++) {
      all.add(entries.get(i));
    }
    return all;
  }
}
