package kaka.topic;

import java.util.List;
import java.util.Optional;
import kaka.partition.PartitionHandle;

/** A topic and where its partitions are; immutable but for what the handles show. */
public record TopicRoute(Topic topic, List<PartitionHandle> partitions) {
  public TopicRoute {
    partitions = List.copyOf(partitions);
  }

  public Optional<PartitionHandle> partition(int number) {
    return number >= 0 && number < partitions.size() ? Optional.of(partitions.get(number)) : Optional.empty();
  }
}
