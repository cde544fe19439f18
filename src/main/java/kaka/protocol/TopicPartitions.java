package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * Some of one topic's partitions: {@code topic_len u16 | topic | m u32 | m x partition u32}.
 *
 * @param partitions numbers of at least 0
 */
public record TopicPartitions(String topic, List<Integer> partitions) {
  public TopicPartitions {
    Limits.checkTopic(topic);
    partitions = List.copyOf(partitions);
  }

  static List<TopicPartitions> decodeAll(WireReader in) throws ProtocolException {
    int n = in.count32(0, 6, "n");
    List<TopicPartitions> all = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      String topic = in.topic();
      int m = in.count32(0, 4, "m");
      List<Integer> partitions = new ArrayList<>(m);
      for (int j = 0; j < m; j++) {
        partitions.add(in.int32(0, "partition"));
      }
      all.add(new TopicPartitions(topic, partitions));
    }
    return all;
  }

  static void encodeAll(List<TopicPartitions> all, WireWriter out) {
    out.int32(all.size());
    for (TopicPartitions each : all) {
      out.string(each.topic).int32(each.partitions.size());
      each.partitions.forEach(out::int32);
    }
  }
}
