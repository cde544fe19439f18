package kaka.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import kaka.client.GroupAdmin;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.record.TopicPartition;

/** A group's description as text. */
final class GroupText {
  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  private GroupText() {}

  /**
   * One partition of the group.
   *
   * @param end empty if the topic does not exist, or the partition cannot be read
   */
  record Row(TopicPartition partition, OptionalLong committed, OptionalLong end, Optional<GroupAdmin.Member> member) {
    OptionalLong lag() {
      return committed.isPresent() && end.isPresent()
          ? OptionalLong.of(Math.max(0, end.getAsLong() - committed.getAsLong()))
          : OptionalLong.empty();
    }
  }

  /** Every partition that the group has committed an offset of, or that a member of it reads. */
  static List<Row> rows(KakaClient client, String group, GroupAdmin.Description description) {
    Map<TopicPartition, Long> committed = KakaException.await(client.groups().offsets(group));
    Map<TopicPartition, GroupAdmin.Member> readers = new HashMap<>();
    description.members().forEach(member -> member.assignment().forEach(each -> readers.put(each, member)));
    TreeSet<TopicPartition> partitions = new TreeSet<>(ORDER);
    partitions.addAll(committed.keySet());
    partitions.addAll(readers.keySet());
    List<Row> rows = new ArrayList<>();
    for (TopicPartition each : partitions) {
      Long offset = committed.get(each);
      rows.add(
          new Row(
              each,
              offset == null ? OptionalLong.empty() : OptionalLong.of(offset),
              end(client, each),
              Optional.ofNullable(readers.get(each))));
    }
    return rows;
  }

  private static OptionalLong end(KakaClient client, TopicPartition partition) {
    try {
      return OptionalLong.of(KakaException.await(client.admin().latestOffset(partition)));
    } catch (KakaException e) {
      if (e.errorCode().isEmpty()) {
        throw e; // the broker has gone
      }
      return OptionalLong.empty();
    }
  }

  /** For people: the state, then a table with the columns of Kafka's tool. */
  static String lines(String group, GroupAdmin.Description description, List<Row> rows) {
    List<List<String>> table = new ArrayList<>();
    table.add(
        List.of("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID"));
    for (Row row : rows) {
      table.add(
          List.of(
              group,
              row.partition().topic(),
              Integer.toString(row.partition().partition()),
              text(row.committed()),
              text(row.end()),
              text(row.lag()),
              row.member().map(GroupAdmin.Member::memberId).orElse("-"),
              row.member().map(GroupAdmin.Member::host).orElse("-"),
              row.member().map(GroupAdmin.Member::clientId).orElse("-")));
    }
    int members = description.members().size();
    String strategy = description.strategy().isEmpty() ? "" : ", assigned by " + description.strategy();
    return group + "  " + description.state() + ", generation " + description.generation() + ", " + members
        + (members == 1 ? " member" : " members") + strategy + "\n\n" + TopicText.table(table);
  }

  private static String text(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "-";
  }

  static String json(String group, GroupAdmin.Description description, List<Row> rows) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("group", Json.string(group));
    fields.put("state", Json.string(description.state()));
    fields.put("generation", Integer.toString(description.generation()));
    fields.put("strategy", Json.string(description.strategy()));
    fields.put("members", Json.array(description.members().stream().map(GroupText::json).toList()));
    fields.put("partitions", Json.array(rows.stream().map(GroupText::json).toList()));
    return Json.object(fields);
  }

  private static String json(GroupAdmin.Member member) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("memberId", Json.string(member.memberId()));
    fields.put("instanceId", Json.string(member.instanceId()));
    fields.put("clientId", Json.string(member.clientId()));
    fields.put("host", Json.string(member.host()));
    fields.put("assignment", Json.array(member.assignment().stream().map(each -> Json.string(each.toString())).toList()));
    return Json.object(fields);
  }

  private static String json(Row row) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("topic", Json.string(row.partition().topic()));
    fields.put("partition", Integer.toString(row.partition().partition()));
    fields.put("currentOffset", json(row.committed()));
    fields.put("logEndOffset", json(row.end()));
    fields.put("lag", json(row.lag()));
    fields.put("memberId", row.member().map(member -> Json.string(member.memberId())).orElse("null"));
    return Json.object(fields);
  }

  private static String json(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "null";
  }
}
