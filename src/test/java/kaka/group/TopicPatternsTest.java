package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopicPatternsTest {
  private final TopicPatterns patterns = new TopicPatterns();

  private static Topics topics(String... names) {
    Map<String, Topics.Shape> topics = new HashMap<>();
    for (int i = 0; i < names.length; i++) {
      topics.put(names[i], new Topics.Shape(new UUID(1, i), 1));
    }
    return Topics.of(topics);
  }

  @Test
  void wholeNamesMatch() {
    patterns.topics(topics("orders", "orders-old", "payments"));

    patterns.use("orders");
    patterns.use(".*s");

    assertEquals(Set.of("orders"), patterns.matching("orders"));
    assertEquals(Set.of("orders", "payments"), patterns.matching(".*s"));
    assertEquals(Set.of(), patterns.matching("nobody's"));
  }

  @Test
  void topicsThatComeAndGoAreSeen() {
    patterns.topics(topics("a1"));
    patterns.use("a.");

    patterns.topics(topics("a2", "b"));
    assertEquals(Set.of(), patterns.matching("a."), "a1 is gone, a2 was not looked at");
    assertTrue(patterns.isBehind());
    assertTrue(patterns.work());

    assertEquals(Set.of("a2"), patterns.matching("a."));
    assertFalse(patterns.isBehind());
    assertFalse(patterns.work());
  }

  /** A pattern near the largest, and many topics: looked at in several goes, and nothing is known before the last. */
  @Test
  void manyTopicsAreLookedAtSomeAtATime() {
    String[] names = new String[2000];
    for (int i = 0; i < names.length; i++) {
      names[i] = "topic-with-a-name-of-some-length-" + i;
    }
    patterns.topics(topics(names));
    String pattern = "(topic-with|a|name|-|of|some|length|[0-9]){1,100}";

    patterns.use(pattern);

    int goes = 0;
    while (patterns.isBehind()) {
      assertEquals(Set.of(), patterns.matching(pattern));
      patterns.work();
      goes++;
    }
    assertTrue(goes > 10, goes + " goes");
    assertEquals(2000, patterns.matching(pattern).size());
  }

  /** A topic that comes is tried on all of them in few goes, and groups hear of it only if there is one that it matches. */
  @Test
  void manyPatternsAreTriedOnATopicInOneGo() {
    patterns.topics(topics("a1", "b1"));
    for (int i = 0; i < 1000; i++) {
      patterns.use("a" + i + ".*");
    }

    patterns.topics(topics("a1", "b1", "b2"));
    assertFalse(patterns.work(), "no pattern has another topic");
    assertFalse(patterns.isBehind());

    patterns.topics(topics("a1", "b1", "a777-new"));
    assertTrue(patterns.work());
    assertFalse(patterns.isBehind());
    assertEquals(Set.of("a777-new"), patterns.matching("a777.*"));
  }

  /** Repetitions multiply, one in another or not. */
  @Test
  void patternsHaveTheirSize() {
    assertTrue(TopicPatterns.isGood("a".repeat(1000)));
    assertFalse(TopicPatterns.isGood("a".repeat(1001)));
    assertTrue(TopicPatterns.isGood("[a-z]{1,100}"));
    assertFalse(TopicPatterns.isGood("((a{100}){100})"));
    assertFalse(TopicPatterns.isGood("(a{0,99}){1,}(b{2000})"));
    assertFalse(TopicPatterns.isGood("a{99999999999999999999}"));
    assertFalse(TopicPatterns.isGood("("));
    assertFalse(TopicPatterns.isGood("(a)\\1"), "no back-references: they are what takes for ever");
  }

  @Test
  void whatIsUsedNoLongerTakesNothing() {
    patterns.topics(topics("a", "b"));
    assertEquals(0, patterns.sizeBytes());
    long cost = patterns.costOf("[ab]");
    patterns.use("[ab]");
    patterns.use("[ab]");
    assertTrue(patterns.sizeBytes() > 0 && patterns.sizeBytes() <= cost, patterns.sizeBytes() + " of " + cost);
    assertEquals(0, patterns.costOf("[ab]"), "it is there");

    patterns.release("[ab]");
    assertEquals(Set.of("a", "b"), patterns.matching("[ab]"));
    patterns.release("[ab]");

    assertEquals(Set.of(), patterns.matching("[ab]"));
    assertEquals(0, patterns.sizeBytes());
  }
}
