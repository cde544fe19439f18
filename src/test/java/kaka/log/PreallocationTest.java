package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreallocationTest {
  private static final int KIB = 1024;

  /** Of {@link Preallocation#USUAL}, in KiB but for the bytes of a commit; segments are of 128 MiB unless said. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 1025, 131072, 0", // an empty one
    "255, 255, 1025, 131072, 255", // holds too little
    "0, 0, 1024, 131072, 4", // but its block is filled for small commits
    "255, 255, 1024, 131072, 256",
    "256, 256, 65, 258, 258", // to the segment's end at most
    "256, 256, 200, 131072, 320", // a quarter of what it holds
    "256, 320, 200, 131072, 320", // has that
    "319, 320, 500, 131072, 320", // still has two commits' worth
    "319, 320, 600, 131072, 398", // no more
    "400, 400, 25600, 131072, 500", // zeros for four commits
    "400, 400, 25601, 131072, 400", // for fewer, which is not worth it
    "8192, 8192, 200, 131072, 9216", // a MiB at most
    "8192, 8192, 65536, 131072, 9216", // the largest commits
    "8192, 8192, 65537, 131072, 8192", // larger ones
    "131000, 131000, 200, 131072, 131072", // not past the segment's end
    "131072, 131072, 200, 131072, 131072", // there is no room
    "131100, 131100, 200, 131072, 131100", // of a segment that may be smaller since
    "2096900, 2096900, 200, 2097151, 2097151", // the largest segments
  })
  void theUsualRule(int storedKib, int fileKib, int commitBytes, int segmentKib, int expectedKib) {
    assertEquals(
        expectedKib,
        Preallocation.USUAL.fileBytesFor(storedKib * KIB, fileKib * KIB, commitBytes, (long) segmentKib * KIB) / KIB);
  }

  /** A quarter is too little for four of them. */
  @Test
  void theBlockThatTheNextSmallCommitReachesIsFilled() {
    Preallocation rule = Preallocation.USUAL;
    int block = Zeros.BLOCK_BYTES;
    assertEquals(block, rule.fileBytesFor(300, 300, 200, 1 << 20));
    assertEquals(block, rule.fileBytesFor(block - 200, block - 200, 200, 1 << 20));
    assertEquals(2 * block, rule.fileBytesFor(block - 199, block - 199, 200, 1 << 20));
    assertEquals(2 * block, rule.fileBytesFor(block - 199, block, 200, 1 << 20));
    assertEquals(block, rule.fileBytesFor(block - 400, block, 200, 1 << 20), "is good for two");
    assertEquals(block, rule.fileBytesFor(block - 399, block, 200, 1 << 20), "holds the next");
  }

  /** Whatever there is: never more than a quarter of it, a MiB, the segment, or a block; never less than there is already. */
  @Test
  void itsBoundsHold() {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    int extended = 0;
    for (int i = 0; i < 100_000; i++) {
      int stored = random.nextInt(1 << (10 + random.nextInt(20)));
      int file = stored + random.nextInt(100_000);
      int commit = 1 + random.nextInt(1 << random.nextInt(20));
      long segment = 1024 + random.nextInt(1 << (11 + random.nextInt(19)));

      int wanted = Preallocation.USUAL.fileBytesFor(stored, file, commit, segment);

      String when = "seed " + seed + ": " + stored + " " + file + " " + commit + " " + segment;
      assertTrue(wanted >= file, when);
      if (wanted > file) {
        extended++;
        int block = commit <= KIB ? commit + Zeros.BLOCK_BYTES : 0;
        assertTrue(wanted - stored <= Math.max(block, Math.min(1 << 20, stored / 4)) && wanted <= segment && commit <= 64 * KIB, when);
      }
      assertEquals(file, Preallocation.OFF.fileBytesFor(stored, file, commit, segment), when);
    }
    assertTrue(extended > 100, extended + " extended");
  }
}
