package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import kaka.log.DescriptorBudget;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import org.junit.jupiter.api.Test;

/** What a topic can become. */
class TopicRulesTest {
  private static final LogConfig LOG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 1000);
  private static final Topic ORDERS =
      new Topic("orders", new UUID(1, 2), 3, new TopicSettings(Map.of("retention.ms", "5", "segment.ms", "7")));

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final TopicRules rules =
      new TopicRules(new TopicsConfig(true, 1), LOG, disk, Path.of("data"), new DescriptorBudget(40)); // room for 20 files

  private static void assertRefused(TopicRefusal reason, String part, TopicDecision decision) {
    TopicDecision.Refused refused = assertInstanceOf(TopicDecision.Refused.class, decision);
    assertEquals(reason, refused.reason(), refused.message());
    assertTrue(refused.message().contains(part), refused.message());
  }

  @Test
  void partitionsOnlyGrow() {
    assertEquals(new TopicDecision.Accepted(ORDERS.withPartitionCount(4)), rules.addPartitions(ORDERS, 4));
    assertRefused(TopicRefusal.INVALID, "3 are not more", rules.addPartitions(ORDERS, 3));
    assertRefused(TopicRefusal.INVALID, "none can be taken away", rules.addPartitions(ORDERS, 2));
    assertRefused(TopicRefusal.INVALID, "1 to 10000", rules.addPartitions(ORDERS, 10_001));
  }

  /** What counts are those that are new: each takes two files. */
  @Test
  void newPartitionsNeedDescriptorsAndSpace() {
    assertInstanceOf(TopicDecision.Accepted.class, rules.addPartitions(ORDERS, 13));
    assertRefused(TopicRefusal.STORAGE_FAILED, "11 more partitions", rules.addPartitions(ORDERS, 14));
    disk.setUsableBytes(999);
    assertRefused(TopicRefusal.STORAGE_FAILED, "disk nearly full", rules.addPartitions(ORDERS, 4));
    assertInstanceOf(TopicDecision.Accepted.class, rules.alter(ORDERS, Map.of("retention.ms", "1")), "may be the way out");
  }

  @Test
  void settingsAreAddedReplacedAndTakenAwayTogether() {
    TopicDecision.Accepted accepted =
        assertInstanceOf(
            TopicDecision.Accepted.class,
            rules.alter(ORDERS, Map.of("retention.ms", "9", "segment.ms", "", "segment.bytes", "2048", "retention.bytes", "")));
    assertEquals(Map.of("retention.ms", "9", "segment.bytes", "2048"), accepted.topic().settings().values());
    assertEquals(ORDERS.id(), accepted.topic().id());

    assertRefused(TopicRefusal.INVALID, "no.such", rules.alter(ORDERS, Map.of("no.such", "1")));
    assertRefused(TopicRefusal.INVALID, "no.such", rules.alter(ORDERS, Map.of("no.such", "")));
    assertRefused(TopicRefusal.INVALID, "retention.ms", rules.alter(ORDERS, Map.of("retention.ms", "x", "segment.ms", "")));
    assertRefused(TopicRefusal.INVALID, "segment", rules.alter(ORDERS, Map.of("segment.bytes", "10")));
  }
}
