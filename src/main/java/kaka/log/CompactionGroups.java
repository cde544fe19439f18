package kaka.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which neighbouring segments a run of compaction makes one of, so that small ones do not stay for ever. */
final class CompactionGroups {
  /** Segments that become one at most: their files are open together while they are replaced. */
  private static final int MAX_GROUP = 16;

  private CompactionGroups() {}

  /**
   * Segments to be rewritten, those together that will be one. The newest sealed one stays by itself.
   *
   * @param sealed oldest first
   * @param end offset from which on nothing is rewritten
   * @param segmentBytes that those together have at most, before anything of them goes
   */
  static List<SealedSegment[]> of(SealedSegment[] sealed, long end, long segmentBytes) {
    List<SealedSegment[]> all = new ArrayList<>();
    for (int from = 0; from < sealed.length && sealed[from].baseOffset() < end; ) {
      int to = from + 1;
      long bytes = sealed[from].sizeBytes();
      while (to < sealed.length - 1
          && to - from < MAX_GROUP
          && sealed[to].baseOffset() < end
          && bytes + sealed[to].sizeBytes() <= segmentBytes
          && sealed[to].nextOffset() - sealed[from].baseOffset() <= Integer.MAX_VALUE) {
        bytes += sealed[to++].sizeBytes();
      }
      all.add(Arrays.copyOfRange(sealed, from, to));
      from = to;
    }
    return all;
  }
}
