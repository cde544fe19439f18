package kaka.log;

/**
 * How far ahead of its end the segment that grows is filled with zeros. A sync of bytes that were written over zeros has nothing to
 * say about the file but its bytes, while one of bytes that made the file longer also writes the file system's own; so small
 * commits, which are mostly that, get through faster. The price is that such bytes are written twice, and the room that is taken
 * in advance: it is bounded by a share of what the segment holds, so that idle partitions cost next to none, however many there are.
 * Where commits are so small that several share a block, the one that the next of them reaches is filled in any case: one block that
 * the file might not take, at most.
 *
 * @param leastStoredBytes in the segment, before more is zeroed than the block that the next commit reaches
 * @param storedPerZero bytes in the segment for each that is zeroed, at least 1
 * @param mostBytes zeroed ahead at a time; 0 for none ever
 * @param mostCommitBytes of recent commits on average: larger ones gain nothing
 * @param leastCommits that zeros must be good for, at least 1, or they are not worth a write of their own
 */
public record Preallocation(
    int leastStoredBytes, int storedPerZero, int mostBytes, int mostCommitBytes, int leastCommits) {
  /** By measurement (ops/perf/PROFILE.md): it pays up to commits of some 64 KiB, and 1 MiB at a time is enough. */
  public static final Preallocation USUAL = new Preallocation(256 << 10, 4, 1 << 20, 64 << 10, 4);

  /** For file systems where it does not pay, and for a log in memory. */
  public static final Preallocation OFF = new Preallocation(0, 1, 0, 0, 1);

  public Preallocation {
    if (leastStoredBytes < 0 || storedPerZero < 1 || mostBytes < 0 || mostCommitBytes < 0 || leastCommits < 1) {
      throw new IllegalArgumentException("out of range");
    }
  }

  /**
   * Up to where the file should be filled with zeros now.
   *
   * @param storedBytes in the segment
   * @param fileBytes size of its file, at least {@code storedBytes}; the answer if nothing is to be done
   * @param commitBytes of recent commits on average, at least 1
   * @param segmentBytes where the next segment will begin
   */
  int fileBytesFor(int storedBytes, int fileBytes, int commitBytes, long segmentBytes) {
    if (mostBytes == 0 || fileBytes - storedBytes >= 2L * commitBytes) {
      return fileBytes;
    }
    int ahead = Math.min(mostBytes, storedBytes / storedPerZero);
    boolean isWorthIt =
        storedBytes >= leastStoredBytes && commitBytes <= mostCommitBytes && commitBytes <= ahead / leastCommits;
    long wantedBytes = isWorthIt ? (long) storedBytes + ahead : blockEnd(storedBytes, commitBytes);
    return (int) Math.max(fileBytes, Math.min(wantedBytes, Math.min(segmentBytes, Integer.MAX_VALUE)));
  }

  /** Where the block ends that the next commit will reach, if others are to follow it there; else 0. */
  private long blockEnd(int storedBytes, int commitBytes) {
    long nextBytes = (long) storedBytes + commitBytes;
    return commitBytes > Zeros.BLOCK_BYTES / leastCommits ? 0 : (nextBytes + Zeros.BLOCK_BYTES - 1) / Zeros.BLOCK_BYTES * Zeros.BLOCK_BYTES;
  }
}
