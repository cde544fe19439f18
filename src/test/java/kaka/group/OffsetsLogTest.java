package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import kaka.TestRounds;
import kaka.TestSeed;
import kaka.log.CrashingDisk;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.Disk;
import kaka.log.EventLog;
import kaka.log.FaultyDisk;
import kaka.log.InternalLog;
import kaka.log.LiveEvents;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.log.MemoryDisk;
import kaka.record.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OffsetsLogTest {
  private static final Path DATA = Path.of("data");
  private static final Path SEGMENT = DATA.resolve("__offsets-0/00000000000000000000.log");

  /** Small segments, and compaction every few KiB. */
  private static final LogConfig SMALL =
      new LogConfig(2048, Duration.ofDays(7), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  private static final LogConfig USUAL =
      new LogConfig(128 << 20, Duration.ofDays(7), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  private static final GroupEventCodec CODEC = new GroupEventCodec();

  private static EventLog<GroupEvent> open(Disk disk, LogConfig logConfig, int compactBytes) throws IOException {
    return EventLog.open(InternalLog.OFFSETS, CODEC, disk, DATA, logConfig, compactBytes, Clock.systemUTC());
  }

  /** A log with what it has made of the events, written and applied as the coordinator does. */
  private static final class Writing {
    final CommittedOffsets live = new CommittedOffsets();
    final EventLog<GroupEvent> log;
    private final List<GroupEvent> staged = new ArrayList<>();

    Writing(Disk disk, LogConfig logConfig, int compactBytes) throws IOException {
      log = open(disk, logConfig, compactBytes);
      log.replay(live::apply, live);
    }

    void stage(GroupEvent event) throws IOException {
      log.stage(event);
      staged.add(event);
    }

    void flush() throws IOException {
      log.flush();
      staged.forEach(live::apply);
      staged.clear();
      log.compact(live); // what it stages goes with the next flush
    }
  }

  private static TreeMap<String, String> contents(CommittedOffsets offsets) {
    TreeMap<String, String> contents = new TreeMap<>();
    LiveEvents.Walk<GroupEvent> walk = offsets.walk();
    for (Optional<GroupEvent> next = walk.next(); next.isPresent(); next = walk.next()) {
      contents.put(HexFormat.of().formatHex(CODEC.key(next.get())), next.get().toString());
    }
    return contents;
  }

  private static GroupEvent.OffsetCommitted committed(String group, int partition, long offset) {
    return new GroupEvent.OffsetCommitted(
        group, new TopicIdPartition(Groups.ORDERS, partition), new StoredOffset(offset, -1, "", 1_700_000_000_000L));
  }

  private static GroupEvent.OffsetPending pending(long producerId, String group, int partition, long offset) {
    GroupEvent.OffsetCommitted event = committed(group, partition, offset);
    return new GroupEvent.OffsetPending(producerId, group, event.partition(), event.stored());
  }

  private static GroupEvent randomEvent(Random random, int i) {
    String group = "group-" + random.nextInt(5);
    return switch (random.nextInt(20)) {
      case 0 -> new GroupEvent.GroupRemoved(group);
      case 1 -> new GroupEvent.OffsetRemoved(group, new TopicIdPartition(Groups.ORDERS, random.nextInt(8)));
      case 2 -> new GroupEvent.GroupChanged(group, i, "consumer", random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(i));
      case 3 -> new GroupEvent.TopicRemoved(random.nextInt(4) == 0 ? Groups.ORDERS : Groups.PAYMENTS);
      case 4 -> new GroupEvent.OffsetCommitted(
          group, new TopicIdPartition(Groups.PAYMENTS, 0), new StoredOffset(i, 7, "täxt".repeat(random.nextInt(20)), i));
      case 5, 6, 7 -> pending(random.nextInt(3), group, random.nextInt(8), i);
      case 8 -> new GroupEvent.TransactionEnded(
          random.nextInt(3), random.nextBoolean() ? List.of() : List.of(committed(group, random.nextInt(8), i)));
      default -> committed(group, random.nextInt(8), i);
    };
  }

  // ---------------------------------------------------------------- bytes

  /** The layout is on disks: it must not change. */
  @Test
  void eventsHaveTheseBytes() throws Exception {
    UUID topic = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    TopicIdPartition partition = new TopicIdPartition(topic, 3);
    assertBytes(
        new GroupEvent.OffsetCommitted("ab", partition, new StoredOffset(43, 5, "m", 258)),
        "01" + "0102030405060708090a0b0c0d0e0f10" + "00000003" + "6162",
        "01" + "000000000000002b" + "00000005" + "0000000000000102" + "6d");
    assertBytes(new GroupEvent.OffsetRemoved("ab", partition), "01" + "0102030405060708090a0b0c0d0e0f10" + "00000003" + "6162", "");
    assertBytes(
        new GroupEvent.GroupChanged("ab", 9, "consumer", OptionalLong.empty()),
        "026162",
        "01" + "00000009" + "ffffffffffffffff" + "636f6e73756d6572");
    assertBytes(
        new GroupEvent.GroupChanged("ab", 9, "", OptionalLong.of(258)), "026162", "01" + "00000009" + "0000000000000102");
    assertBytes(new GroupEvent.GroupRemoved("ab"), "026162", "");
    assertBytes(new GroupEvent.TopicRemoved(topic), "03" + "0102030405060708090a0b0c0d0e0f10", "");
  }

  private static void assertBytes(GroupEvent event, String key, String value) throws IOException {
    byte[] valueBytes = CODEC.value(event);
    assertEquals(key, HexFormat.of().formatHex(CODEC.key(event)));
    assertEquals(value, valueBytes == null ? "" : HexFormat.of().formatHex(valueBytes));
    assertEquals(event, CODEC.parse(record(CODEC.key(event), valueBytes)));
  }

  private static Record record(byte[] key, byte[] value) {
    return new Record(0, 0, key, value, List.of());
  }

  @Test
  void anEventOfAnotherVersionOrCutShortIsNotGuessedAt() {
    byte[] key = CODEC.key(committed("g", 0, 1));
    byte[] value = CODEC.value(committed("g", 0, 1));
    for (int size = 0; size < 21; size++) {
      int cut = size;
      assertThrows(IOException.class, () -> CODEC.parse(record(java.util.Arrays.copyOf(key, cut), value)));
      assertThrows(IOException.class, () -> CODEC.parse(record(key, java.util.Arrays.copyOf(value, cut))));
    }
    value[0] = 2;
    assertThrows(IOException.class, () -> CODEC.parse(record(key, value)));
    assertThrows(IOException.class, () -> CODEC.parse(record(new byte[] {9}, null)));
    assertThrows(IOException.class, () -> CODEC.parse(record(null, null)));
  }

  // ---------------------------------------------------------------- replay and compaction

  @Test
  void replayComesToWhatWasApplied() throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    Disk disk = new MemoryDisk();
    disk.createDirectory(DATA);
    for (int round = 0; round < 10; round++) {
      Writing writing = new Writing(disk, SMALL, 4096);
      for (int i = 0; i < 500; i++) {
        writing.stage(randomEvent(random, round * 500 + i));
        if (random.nextInt(4) == 0) {
          writing.flush();
        }
      }
      writing.flush();
      Map<String, String> expected = contents(writing.live);
      writing.log.close();

      CommittedOffsets replayed = new CommittedOffsets();
      EventLog<GroupEvent> again = open(disk, SMALL, 4096);
      again.replay(replayed::apply, replayed);
      assertEquals(expected, contents(replayed), "seed " + seed);
      assertEquals(writing.live.sizeBytes(), replayed.sizeBytes(), "seed " + seed);
      assertTrue(again.sizeBytes() < 60_000, again.sizeBytes() + " bytes, seed " + seed);
      again.close();
    }
  }

  /** The short form of ops/checks/offsets.sh. */
  @Test
  void aHundredThousandCommitsOfAThousandEntriesLeaveASmallLog() throws IOException {
    Disk disk = new MemoryDisk();
    disk.createDirectory(DATA);
    Writing writing = new Writing(disk, USUAL, 1 << 20);
    long largest = 0;
    for (int i = 0; i < 100_000; i++) {
      writing.stage(committed("group-" + i % 100, i / 100 % 10, i));
      if (i % 50 == 49) {
        writing.flush();
        largest = Math.max(largest, writing.log.sizeBytes());
      }
    }
    writing.flush();

    assertEquals(1000, writing.live.offsetCount());
    assertTrue(largest < 4 << 20, "as large as " + largest);
    assertTrue(writing.log.sizeBytes() < 3 << 20, writing.log.sizeBytes() + " bytes");
    Map<String, String> expected = contents(writing.live);
    writing.log.close();
    assertEquals(expected, contents(new Writing(disk, USUAL, 1 << 20).live));
  }

  /**
   * What changes, or goes, while the copy is under way must not come back by it: entries are written again as they are, not as
   * they were when the copy began.
   */
  @Test
  void aCopyWritesWhatIsSoWhenItsTurnComes() throws IOException {
    Disk disk = new MemoryDisk();
    disk.createDirectory(DATA);
    Writing writing = new Writing(disk, USUAL, 64 << 10);
    for (int i = 0; i < 5000; i++) { // so many that a copy takes several rounds
      writing.stage(committed("group", i, 1));
    }
    writing.flush();
    for (int round = 0; round < 4; round++) {
      for (int i = round; i < 5000; i += 7) {
        writing.stage(i % 2 == 0 ? committed("group", i, 100 + round) : new GroupEvent.OffsetRemoved("group", new TopicIdPartition(Groups.ORDERS, i)));
      }
      writing.flush();
    }
    do {
      writing.log.flush();
    } while (writing.log.compact(writing.live));
    Map<String, String> expected = contents(writing.live);
    writing.log.close();

    Map<String, String> found = contents(new Writing(disk, USUAL, 64 << 10).live);
    assertEquals(expected, found);
  }

  /** From the n-th change on nothing reaches the disk: the next process has all that was flushed, and perhaps what was under way. */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aPowerCutAtAnyChangeLosesNothingFlushed(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    boolean cut;
    int n = 0;
    do {
      n += 1 + n / TestRounds.of(15);
      String when = unsynced + ", change " + n + ", seed " + seed;
      CrashingDisk crashing = new CrashingDisk();
      FaultyDisk disk = new FaultyDisk(crashing);
      crashing.createDirectory(DATA);
      crashing.syncDirectory(Path.of(""));
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      Map<String, String> flushed = Map.of();
      Map<String, String> underWay = Map.of();
      try {
        Writing writing = new Writing(disk, SMALL, 2048);
        Random events = new Random(seed);
        for (int i = 0; i < 300; i++) {
          GroupEvent event = randomEvent(events, i);
          CommittedOffsets next = new CommittedOffsets();
          LiveEvents.Walk<GroupEvent> walk = writing.live.walk();
          for (Optional<GroupEvent> each = walk.next(); each.isPresent(); each = walk.next()) {
            next.apply(each.get());
          }
          next.apply(event);
          underWay = contents(next);
          writing.stage(event);
          writing.log.flush();
          writing.staged.forEach(writing.live::apply);
          writing.staged.clear();
          flushed = underWay;
          writing.log.compact(writing.live);
        }
        writing.log.close();
      } catch (IOException e) {
        when += " " + e.getMessage();
      }
      cut = disk.failureCount() > 0;

      Map<String, String> found = contents(new Writing(crashing.afterPowerCut(unsynced, random), SMALL, 2048).live);
      assertTrue(found.equals(flushed) || found.equals(underWay), when + "\n" + found + "\n" + flushed + "\n" + underWay);
    } while (cut);
    assertTrue(n > 300, "only " + n + " changes");
  }

  @Test
  void damageIsNamedWithWhatCanBeDone() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    disk.createDirectory(DATA);
    Writing writing = new Writing(disk, USUAL, 1 << 20);
    for (int i = 0; i < 10; i++) {
      writing.stage(committed("g", i, i));
      writing.flush();
    }
    writing.log.close();
    disk.flipBit(SEGMENT, 8 * 100);

    LogDamagedException damage = assertThrows(LogDamagedException.class, () -> new Writing(disk, USUAL, 1 << 20));

    assertEquals(SEGMENT, damage.file());
    assertTrue(damage.getMessage().contains("kaka log check data/__offsets-0"), damage.getMessage());
    assertTrue(damage.getMessage().contains("mv data/__offsets-0 data/__offsets-0.damaged"), damage.getMessage());
  }
}
