package kaka.topic;

import java.util.List;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.record.TopicPartition;

/**
 * What a start came to, of topics and partitions.
 *
 * @param failed those that could not be opened, or were opened for reading only
 * @param problem why topics cannot be created or deleted; empty if they can
 */
public record OpenedTopics(int topicCount, int partitionCount, List<TopicPartition> failed, String problem) {
  public OpenedTopics {
    failed = List.copyOf(failed);
  }

  static OpenedTopics of(RoutingTable table, String problem) {
    List<PartitionHandle> all = table.partitions();
    List<TopicPartition> failed =
        all.stream().filter(each -> each.view().state() == PartitionState.FAILED).map(PartitionHandle::id).toList();
    return new OpenedTopics(table.topicCount(), all.size(), failed, problem);
  }
}
