package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.Test;

class TopicNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "orders", "Orders.v1_2-x", "...", "_hidden", "0", "-"})
  void isLegal(String name) {
    assertEquals(Optional.empty(), TopicName.problemOf(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "a b", "ä", "a\u0000", "__offsets", "__", "a\\b", "a:b", "a*", "\n"})
  void isRefused(String name) {
    assertTrue(TopicName.problemOf(name).isPresent(), name);
  }

  @Test
  void longestNameIs249() {
    assertEquals(Optional.empty(), TopicName.problemOf("a".repeat(249)));
    assertTrue(TopicName.problemOf("a".repeat(250)).isPresent());
  }
}
