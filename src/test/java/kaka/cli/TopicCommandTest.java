package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The commands about topics. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
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

  @Test
  void partitionsAreAddedAndSettingsChanged() {
    kaka("", "topic", "create", topic, "--set", "retention.ms=60000");

    assertEquals(0, kaka("", "topic", "add-partitions", topic, "--partitions", "3"));
    assertEquals(topic + " has 3 partitions\n", out.toString(UTF_8));
    assertEquals(0, kaka("a\n", "produce", topic, "--partition", "2"));
    assertEquals(1, kaka("", "topic", "add-partitions", topic, "--partitions", "3"));
    assertTrue(err.toString(UTF_8).contains("3 are not more"), err.toString(UTF_8));
    assertEquals(2, kaka("", "topic", "add-partitions", topic, "--partitions", "0"));
    assertEquals(2, kaka("", "topic", "add-partitions", topic));

    assertEquals(0, kaka("", "topic", "alter", topic, "--set", "segment.bytes=2048", "--unset", "retention.ms"));
    assertEquals("altered " + topic + "\n", out.toString(UTF_8));
    kaka("", "topic", "describe", topic);
    assertTrue(out.toString(UTF_8).matches("(?s).*segment\\.bytes +2048 +topic\n.*"), out.toString(UTF_8));
    assertTrue(out.toString(UTF_8).matches("(?s).*retention\\.ms +-1 +broker\n.*"), out.toString(UTF_8));
    assertEquals(1, kaka("", "topic", "alter", topic, "--set", "no.such=1"));
    assertTrue(err.toString(UTF_8).contains("unknown setting 'no.such'"), err.toString(UTF_8));
    assertEquals(2, kaka("", "topic", "alter", topic));
    assertEquals(2, kaka("", "topic", "alter", topic, "--set", "retention.ms="));
    assertEquals(2, kaka("", "topic", "alter", topic, "--set", "retention.ms=1", "--unset", "retention.ms"));
  }

  @Test
  void recordsAreDeletedUpToAnOffsetOrAll() {
    kaka("", "topic", "create", topic, "--partitions", "2");
    kaka("a\nb\nc\n", "produce", topic, "--partition", "1");

    assertEquals(0, kaka("", "topic", "delete-records", topic, "--partition", "1", "--before-offset", "2"));
    assertEquals(topic + "-1 starts at 2\n", out.toString(UTF_8));
    kaka("", "consume", topic);
    assertEquals("c\n", out.toString(UTF_8), "the batch is stored whole, its first records are not shown");

    assertEquals(1, kaka("", "topic", "delete-records", topic, "--partition", "1", "--before-offset", "4"));
    assertTrue(err.toString(UTF_8).contains("OFFSET_OUT_OF_RANGE"), err.toString(UTF_8));
    assertEquals(0, kaka("", "topic", "delete-records", topic, "--all"));
    assertEquals(topic + "-0 starts at 0\n" + topic + "-1 starts at 3\n", out.toString(UTF_8));
    kaka("", "consume", topic);
    assertEquals("", out.toString(UTF_8));
  }

  @Test
  void aDeletionOfRecordsSaysWhatItNeeds() {
    assertEquals(2, kaka("", "topic", "delete-records", topic));
    assertEquals(2, kaka("", "topic", "delete-records", topic, "--all", "--before-offset", "1", "--partition", "0"));
    assertEquals(2, kaka("", "topic", "delete-records", topic, "--before-offset", "1"));
    assertEquals(2, kaka("", "topic", "delete-records", topic, "--partition", "0", "--before-offset", "-1"));
    assertEquals(2, kaka("", "topic", "delete-records", topic, "--partition", "-1", "--all"));
    assertEquals(1, kaka("", "topic", "delete-records", topic, "--all"));
    assertTrue(err.toString(UTF_8).contains("UNKNOWN_TOPIC_OR_PARTITION"), err.toString(UTF_8));
  }
}
