package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The commands about groups, and reading as a member of one. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class GroupCommandTest extends CommandRunning {
  private String group() {
    return "group-of-" + topic;
  }

  private String consumed(String... more) {
    String[] arguments = new String[4 + more.length];
    arguments[0] = "consume";
    arguments[1] = topic;
    arguments[2] = "--group";
    arguments[3] = group();
    System.arraycopy(more, 0, arguments, 4, more.length);
    assertEquals(0, kaka("", arguments), err.toString(UTF_8));
    return out.toString(UTF_8);
  }

  @Test
  void whatWasPrintedIsCommittedAndNotPrintedAgain() {
    kaka("", "topic", "create", topic);
    kaka("a\nb\nc\n", "produce", topic);

    assertEquals("a\nb\n", consumed("--max", "2"));
    assertEquals("c\n", consumed());
    assertEquals("", consumed());
    kaka("d\n", "produce", topic);
    assertEquals("d\n", consumed("--from", "latest"), "there is a commit to go on from");
  }

  @Test
  void groupsAreListedAndDescribedAndDeleted() {
    kaka("", "topic", "create", topic, "--partitions", "2");
    kaka("a\nb\nc\n", "produce", topic, "--partition", "1");
    consumed("--max", "2");

    assertEquals(0, kaka("", "group", "list"));
    assertTrue(out.toString(UTF_8).contains(group() + "\tEmpty\tconsumer\tclassic\n"), out.toString(UTF_8));
    kaka("", "group", "list", "--json");
    assertTrue(
        out.toString(UTF_8).contains("{\"group\":\"" + group() + "\",\"state\":\"Empty\",\"protocolType\":\"consumer\",\"type\":\"classic\"}"),
        out.toString(UTF_8));

    assertEquals(0, kaka("", "group", "describe", group()));
    assertTrue(
        out.toString(UTF_8).matches("(?s).*\n" + group() + " +" + topic + " +1 +2 +3 +1 +- +- +-\n"), out.toString(UTF_8));
    kaka("", "group", "describe", group(), "--json");
    assertTrue(
        out.toString(UTF_8).contains("\"partition\":1,\"currentOffset\":2,\"logEndOffset\":3,\"lag\":1,\"memberId\":null}"),
        out.toString(UTF_8));

    assertEquals(0, kaka("", "group", "delete", group()));
    assertEquals("deleted " + group() + "\n", out.toString(UTF_8));
    assertEquals(1, kaka("", "group", "delete", group()));
    assertEquals(1, kaka("", "group", "describe", group()));
    assertTrue(err.toString(UTF_8).contains("no group '" + group() + "'"), err.toString(UTF_8));
    assertEquals("a\nb\nc\n", consumed(), "nothing is left of what it had committed");
  }

  @Test
  void listTellsWhoSharesTheReadingOfAGroup() {
    kaka("", "topic", "create", topic);
    kaka("a\n", "produce", topic);
    consumed();
    kaka("", "group", "reset", "only-commits-" + topic, "--topic", topic, "--to", "latest", "--execute");
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", address(broker),
            "group.id", "kip-848-" + topic,
            "group.protocol", "consumer",
            "auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (consumer.poll(Duration.ofSeconds(1)).isEmpty()) {}

      kaka("", "group", "list");

      String listed = out.toString(UTF_8);
      assertTrue(listed.contains(group() + "\tEmpty\tconsumer\tclassic\n"), listed);
      assertTrue(listed.contains("only-commits-" + topic + "\tEmpty\t-\tsimple\n"), listed);
      assertTrue(listed.contains("kip-848-" + topic + "\tStable\tconsumer\tconsumer\n"), listed);
    }
  }

  @Test
  void resetMovesToEverySortOfPlaceAndOnlyWhenToldTo() {
    kaka("", "topic", "create", topic);
    kaka("a\nb\nc\nd\n", "produce", topic);
    consumed();

    assertEquals(1, kaka("", "group", "reset", group(), "--topic", topic, "--to", "earliest"), "not done");
    assertEquals(0, kaka("", "group", "reset", group(), "--topic", topic, "--to", "earliest", "--dry-run"), "as wanted");
    assertTrue(out.toString(UTF_8).matches("(?s).*\n" + group() + " +" + topic + " +0 +4 +0\n"), out.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains("nothing was changed"), err.toString(UTF_8));
    assertEquals("", consumed(), "that was a dry run");

    reset("--to", "earliest");
    assertEquals("a\nb\nc\nd\n", consumed());
    reset("--to", "3");
    assertEquals("d\n", consumed());
    reset("--shift", "-2");
    assertEquals("c\nd\n", consumed());
    reset("--to", "-1h");
    assertEquals("a\nb\nc\nd\n", consumed());
    reset("--to", "1");
    reset("--to", "latest");
    assertEquals("", consumed());
    reset("--shift", "-100");
    assertEquals("a\nb\nc\nd\n", consumed(), "no further than the first");
    reset("--to", "99");
    assertEquals("", consumed(), "no further than the end");
    assertEquals(0, kaka("", "group", "reset", group(), "--all-topics", "--to", "2", "--execute", "--json"));
    assertEquals(
        "[{\"topic\":\"" + topic + "\",\"partition\":0,\"currentOffset\":4,\"newOffset\":2}]\n", out.toString(UTF_8));
    assertEquals("c\nd\n", consumed());
  }

  private void reset(String how, String where) {
    assertEquals(0, kaka("", "group", "reset", group(), "--topic", topic, how, where, "--execute"), err.toString(UTF_8));
    assertFalse(err.toString(UTF_8).contains("nothing was changed"));
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    kaka("", "topic", "create", topic);
    assertEquals(2, kaka("", "group"));
    assertEquals(2, kaka("", "group", "reset", "g", "--topic", topic));
    assertEquals(2, kaka("", "group", "reset", "g", "--to", "latest"));
    assertEquals(2, kaka("", "group", "reset", "g", "--topic", topic, "--all-topics", "--to", "latest"));
    assertEquals(2, kaka("", "group", "reset", "g", "--topic", topic, "--to", "latest", "--shift", "1"));
    assertEquals(2, kaka("", "group", "reset", "g", "--topic", topic, "--to", "never"));
    assertEquals(2, kaka("", "group", "reset", "g", "--all-topics", "--partition", "0", "--to", "latest"));
    assertEquals(1, kaka("", "group", "reset", "nobody", "--all-topics", "--to", "latest"));
    assertEquals(1, kaka("", "group", "reset", "g", "--topic", topic, "--shift", "1"));
    assertTrue(err.toString(UTF_8).contains("nothing to go from"), err.toString(UTF_8));
    assertEquals(2, kaka("", "consume", topic, "other"));
    assertEquals(2, kaka("", "consume", topic, "--group", ""));
    assertEquals(2, kaka("", "consume", topic, "--group", "g", "--partition", "0"));
    assertEquals(2, kaka("", "consume", topic, "--instance", "a"));
    assertEquals(1, kaka("", "consume", "no-such-" + topic, "--group", "g"));
  }
}
