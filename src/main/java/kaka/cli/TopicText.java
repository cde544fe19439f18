package kaka.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaka.client.TopicDescription;

/** A topic's description as text. */
final class TopicText {
  private TopicText() {}

  /** For people: two tables. */
  static String lines(TopicDescription topic) {
    List<List<String>> settings = new ArrayList<>();
    settings.add(List.of("SETTING", "VALUE", "FROM"));
    topic.settings().forEach(each -> settings.add(List.of(each.name(), each.value(), each.isOwn() ? "topic" : "broker")));
    List<List<String>> partitions = new ArrayList<>();
    partitions.add(List.of("PARTITION", "START", "END", "BYTES", "STATE"));
    topic.partitions().forEach(each -> partitions.add(row(each)));
    return topic.name() + "  id " + topic.id() + "\n\n" + table(settings) + "\n" + table(partitions);
  }

  private static List<String> row(TopicDescription.Partition each) {
    String state = each.reason().isEmpty() ? each.state() : each.state() + ": " + each.reason();
    return List.of(
        Integer.toString(each.partition()),
        Long.toString(each.logStartOffset()),
        Long.toString(each.highWatermark()),
        Long.toString(each.sizeBytes()),
        state);
  }

  static String table(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    int last = rows.get(0).size() - 1;
    for (List<String> row : rows) {
      for (int column = 0; column < last; column++) {
        int width = widest(rows, column);
        text.append(row.get(column)).append(" ".repeat(width - row.get(column).length() + 2));
      }
      text.append(row.get(last)).append('\n');
    }
    return text.toString();
  }

  private static int widest(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  static String json(TopicDescription topic) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", Json.string(topic.name()));
    fields.put("id", Json.string(topic.id().toString()));
    fields.put("settings", Json.array(topic.settings().stream().map(TopicText::json).toList()));
    fields.put("partitions", Json.array(topic.partitions().stream().map(TopicText::json).toList()));
    return Json.object(fields);
  }

  private static String json(TopicDescription.Setting setting) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", Json.string(setting.name()));
    fields.put("value", Json.string(setting.value()));
    fields.put("from", Json.string(setting.isOwn() ? "topic" : "broker"));
    return Json.object(fields);
  }

  private static String json(TopicDescription.Partition partition) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("partition", Integer.toString(partition.partition()));
    fields.put("state", Json.string(partition.state()));
    fields.put("logStartOffset", Long.toString(partition.logStartOffset()));
    fields.put("highWatermark", Long.toString(partition.highWatermark()));
    fields.put("sizeBytes", Long.toString(partition.sizeBytes()));
    fields.put("reason", Json.string(partition.reason()));
    return Json.object(fields);
  }
}
