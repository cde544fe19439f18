package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The commands about topics. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TopicCommandTest extends CommandRunning {
  @Test
  void topicsAreCreatedListedDescribedAndDeleted() {
    assertEquals(0, kaka("", "topic", "create", topic, "--partitions", "2", "--set", "retention.ms=60000"));
    assertEquals("created " + topic + " with 2 partitions\n", out.toString(UTF_8));
    kaka("a\nb\n", "produce", topic, "--partition", "1");

    kaka("", "topic", "list");
    assertTrue(out.toString(UTF_8).lines().anyMatch(line -> line.startsWith(topic + "\t2\t")), out.toString(UTF_8));
    kaka("", "topic", "list", "--json");
    assertTrue(out.toString(UTF_8).contains("{\"name\":\"" + topic + "\",\"id\":\""), out.toString(UTF_8));

    kaka("", "topic", "describe", topic);
    assertTrue(out.toString(UTF_8).matches("(?s).*retention\\.ms +60000 +topic\n.*"), out.toString(UTF_8));
    assertTrue(out.toString(UTF_8).matches("(?s).*\n1 +0 +2 +[0-9]+ +writable\n"), out.toString(UTF_8));
    kaka("", "topic", "describe", topic, "--json");
    assertTrue(out.toString(UTF_8).contains("\"partition\":1,\"state\":\"writable\",\"logStartOffset\":0,\"highWatermark\":2,"));

    assertEquals(1, kaka("", "topic", "create", topic));
    assertTrue(err.toString(UTF_8).contains("TOPIC_EXISTS"), err.toString(UTF_8));
    assertEquals(0, kaka("", "topic", "delete", topic));
    assertEquals("deleted " + topic + "\n", out.toString(UTF_8));
    assertEquals(1, kaka("", "topic", "delete", topic));
    assertEquals(1, kaka("", "topic", "describe", topic));
  }
}
