package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AssignorTest {
  private static Topics topics(Map<String, Integer> partitions) {
    Map<String, Topics.Shape> shapes = new HashMap<>();
    partitions.forEach((topic, count) -> shapes.put(topic, new Topics.Shape(new UUID(1, topic.hashCode()), count)));
    return Topics.of(shapes);
  }

  private static Assignor.Wanting wanting(String member, String... topics) {
    return new Assignor.Wanting(member, List.of(topics), Map.of());
  }

  private static Map<String, List<Integer>> of(Map<String, TreeMap<String, List<Integer>>> assigned, String member) {
    return assigned.get(member);
  }

  /** Kafka's own example: two topics of three partitions, two members. */
  @Test
  void rangeGivesNeighboursTopicByTopic() {
    Map<String, TreeMap<String, List<Integer>>> assigned =
        Assignor.RANGE.assign(List.of(wanting("a", "t0", "t1"), wanting("b", "t0", "t1")), topics(Map.of("t0", 3, "t1", 3)));

    assertEquals(Map.of("t0", List.of(0, 1), "t1", List.of(0, 1)), of(assigned, "a"));
    assertEquals(Map.of("t0", List.of(2), "t1", List.of(2)), of(assigned, "b"));
  }

  @Test
  void roundRobinGivesInTurn() {
    Map<String, TreeMap<String, List<Integer>>> assigned =
        Assignor.ROUND_ROBIN.assign(List.of(wanting("a", "t0", "t1"), wanting("b", "t0", "t1")), topics(Map.of("t0", 3, "t1", 3)));

    assertEquals(Map.of("t0", List.of(0, 2), "t1", List.of(1)), of(assigned, "a"));
    assertEquals(Map.of("t0", List.of(1), "t1", List.of(0, 2)), of(assigned, "b"));
  }

  @Test
  void stickyMovesNoMoreThanItMust() {
    Topics six = topics(Map.of("t", 6));
    List<Assignor.Wanting> members =
        List.of(
            new Assignor.Wanting("a", List.of("t"), Map.of("t", List.of(0, 1, 2))),
            new Assignor.Wanting("b", List.of("t"), Map.of("t", List.of(3, 4, 5))),
            new Assignor.Wanting("c", List.of("t"), Map.of()));

    Map<String, TreeMap<String, List<Integer>>> assigned = Assignor.STICKY.assign(members, six);

    assertEquals(Map.of("t", List.of(0, 1)), of(assigned, "a"));
    assertEquals(Map.of("t", List.of(3, 4)), of(assigned, "b"));
    assertEquals(Map.of("t", List.of(2, 5)), of(assigned, "c"));
  }

  /** Whatever members want and had: each partition that somebody wants goes to exactly one of those. */
  @ParameterizedTest
  @EnumSource(Assignor.class)
  void everyPartitionGoesToOneThatWantsIt(Assignor assignor) {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      Map<String, Integer> counts = new TreeMap<>();
      for (int i = random.nextInt(5); i >= 0; i--) {
        counts.put("topic-" + i, random.nextInt(8));
      }
      List<Assignor.Wanting> members = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        List<String> topics = new ArrayList<>(counts.keySet());
        topics.removeIf(topic -> random.nextInt(3) == 0);
        if (random.nextInt(4) == 0) {
          topics.add("no-such-topic");
        }
        Map<String, List<Integer>> previous = new HashMap<>();
        counts.keySet().forEach(topic -> previous.put(topic, List.of(random.nextInt(9), 7)));
        members.add(new Assignor.Wanting("member-" + i, topics, previous));
      }
      Map<String, TreeMap<String, List<Integer>>> assigned = assignor.assign(members, topics(counts));

      Set<String> given = new HashSet<>();
      for (Assignor.Wanting member : members) {
        assigned.get(member.memberId()).forEach(
            (topic, partitions) -> {
              assertTrue(member.topics().contains(topic), "seed " + seed);
              partitions.forEach(partition -> assertTrue(given.add(topic + partition), "twice, seed " + seed));
            });
      }
      Set<String> wanted = new HashSet<>();
      counts.forEach(
          (topic, count) -> {
            if (members.stream().anyMatch(member -> member.topics().contains(topic))) {
              for (int partition = 0; partition < count; partition++) {
                wanted.add(topic + partition);
              }
            }
          });
      assertEquals(wanted, given, "seed " + seed);
    }
  }

  @Test
  void consumerProtocolIsKafkasAndGarbageIsNone() {
    Opaque subscription = ConsumerProtocol.subscription(List.of("ab"));
    assertEquals("00000000000100026162ffffffff", java.util.HexFormat.of().formatHex(subscription.toByteArray()));
    assertEquals(List.of("ab"), ConsumerProtocol.topics(subscription).orElseThrow());
    Opaque assignment = ConsumerProtocol.assignment(Map.of("ab", List.of(3)));
    assertEquals(
        "000000000001000261620000000100000003ffffffff", java.util.HexFormat.of().formatHex(assignment.toByteArray()));
    assertEquals(Map.of("ab", List.of(3)), ConsumerProtocol.partitions(assignment).orElseThrow());

    byte[] bytes = assignment.toByteArray();
    for (int size = 1; size < bytes.length - 4; size++) {
      assertTrue(ConsumerProtocol.partitions(Opaque.of(java.util.Arrays.copyOf(bytes, size))).isEmpty(), "cut to " + size);
    }
    byte[] huge = {0, 0, 0x7f, 0, 0, 0};
    assertTrue(ConsumerProtocol.topics(Opaque.of(huge)).isEmpty());
    assertTrue(ConsumerProtocol.partitions(Opaque.of(huge)).isEmpty());
  }
}
