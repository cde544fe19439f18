package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import kaka.log.CrashingDisk.Unsynced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProducerIdsTest {
  private static final Path DIRECTORY = Path.of("data");
  private static final Path FILE = DIRECTORY.resolve("producer-ids");

  private static <D extends Disk> D withDirectory(D disk) throws IOException {
    disk.createDirectory(DIRECTORY);
    disk.syncDirectory(Path.of(""));
    return disk;
  }

  @Test
  void idsGoOnAfterARestartAndCostOneFileABlock() throws IOException {
    FaultyDisk disk = new FaultyDisk(withDirectory(new MemoryDisk()));
    ProducerIds ids = ProducerIds.open(disk, DIRECTORY);
    long first = ids.next();
    for (int i = 1; i < ProducerIds.BLOCK; i++) {
      assertEquals(first + i, ids.next());
    }
    assertEquals(1, disk.count(FaultyDisk.Operation.MOVE), "one block");

    assertEquals(first + ProducerIds.BLOCK, ids.next());
    assertEquals(2, disk.count(FaultyDisk.Operation.MOVE));
    assertEquals(first + 2 * ProducerIds.BLOCK, ProducerIds.open(disk, DIRECTORY).next(), "the rest of a block is never given");
  }

  @Test
  void damagedOrMissingFileBeginsWhereNoneWasGiven() throws IOException {
    MemoryDisk disk = withDirectory(new MemoryDisk());
    long given = ProducerIds.open(disk, DIRECTORY).next();
    byte[] content = TestLogs.content(disk, FILE);

    for (int i = 0; i < content.length; i++) {
      byte[] flipped = content.clone();
      flipped[i] ^= 1;
      TestLogs.setContent(disk, FILE, flipped);
      long next = ProducerIds.open(disk, DIRECTORY).next();
      assertTrue(Math.abs(next - given) > 2 * ProducerIds.BLOCK, "byte " + i + ": " + next + " after " + given);
      assertEquals(0, next % ProducerIds.BLOCK);
    }
    TestLogs.setContent(disk, FILE, "version: 1\n".getBytes(StandardCharsets.US_ASCII));
    assertTrue(ProducerIds.open(disk, DIRECTORY).next() >= 0);
  }

  @Test
  void onceTheDiskFailedNoFurtherBlockIsGiven() throws IOException {
    FaultyDisk disk = new FaultyDisk(withDirectory(new MemoryDisk()));
    ProducerIds ids = ProducerIds.open(disk, DIRECTORY);
    disk.failNth(Set.of(FaultyDisk.Operation.SYNC), "", 1);

    assertThrows(IOException.class, ids::next);
    disk.heal();
    IOException again = assertThrows(IOException.class, ids::next);

    assertTrue(again.getMessage().startsWith("producer ids cannot be given: "), again.getMessage());
  }

  /** The power goes at the n-th change; whatever is then on the disk, the next process gives none that was given. */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void noIdIsGivenTwiceAfterAPowerCutAtAnyChange(Unsynced unsynced) throws IOException {
    Random random = new Random(unsynced.ordinal());
    boolean cut;
    int n = 0;
    do {
      CrashingDisk power = withDirectory(new CrashingDisk());
      List<Long> given = new ArrayList<>();
      ProducerIds.open(power, DIRECTORY).next(); // there is a file, for without one the ids begin anywhere
      FaultyDisk disk = new FaultyDisk(power);
      disk.failFrom(FaultyDisk.CHANGES, "", ++n);
      try {
        ProducerIds ids = ProducerIds.open(disk, DIRECTORY);
        for (int i = 0; i < 2 * ProducerIds.BLOCK; i++) {
          given.add(ids.next());
        }
      } catch (IOException e) { // the power is gone
      }
      cut = disk.failureCount() > 0;
      ProducerIds after = ProducerIds.open(power.afterPowerCut(unsynced, random), DIRECTORY);
      for (int i = 0; i < 2 * ProducerIds.BLOCK; i++) {
        given.add(after.next());
      }
      assertEquals(given.size(), new HashSet<>(given).size(), "change " + n);
    } while (cut);
    assertTrue(n > 8, "only " + n + " changes");
  }
}
