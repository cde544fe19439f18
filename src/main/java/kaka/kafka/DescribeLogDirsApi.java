package kaka.kafka;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionHandle;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;

/** DESCRIBE_LOG_DIRS: the one data directory, and the bytes of each partition in it. */
final class DescribeLogDirsApi implements Api {
  /** What a partition, and a topic, take as objects, roughly. */
  private static final int ENTRY_BYTES = 96;

  @Override
  public Exchange handle(Call call) {
    return new Answer(
        call,
        answer -> {
          List<TopicRoute> routes = new ArrayList<>();
          List<Set<Integer>> wanted = new ArrayList<>(); // by route; all if empty
          collect(call, routes, wanted);
          long entries = routes.stream().mapToLong(route -> 1 + route.partitions().size()).sum();
          if (answer.reserve(entries * ENTRY_BYTES)) {
            answer.complete(response(call, routes, wanted));
          }
        });
  }

  private static void collect(Call call, List<TopicRoute> routes, List<Set<Integer>> wanted) {
    DescribeLogDirsRequestData request = call.request(DescribeLogDirsRequestData.class);
    Topics topics = call.topics();
    if (request.topics() == null) {
      topics.table().all().forEach(routes::add);
      routes.forEach(route -> wanted.add(Set.of()));
      return;
    }
    request
        .topics()
        .forEach(
            topic ->
                topics
                    .table()
                    .find(topic.topic())
                    .ifPresent(
                        route -> {
                          routes.add(route);
                          wanted.add(new HashSet<>(topic.partitions()));
                        }));
  }

  private static DescribeLogDirsResponseData response(Call call, List<TopicRoute> routes, List<Set<Integer>> wanted) {
    DescribeLogDirsResult directory = new DescribeLogDirsResult().setLogDir(call.side().dataDirectory());
    for (int i = 0; i < routes.size(); i++) {
      TopicRoute route = routes.get(i);
      DescribeLogDirsTopic topic = new DescribeLogDirsTopic().setName(route.topic().name());
      for (PartitionHandle partition : route.partitions()) {
        Optional<LogSnapshot> snapshot = partition.view().snapshot();
        int number = partition.id().partition();
        if (snapshot.isPresent() && (wanted.get(i).isEmpty() || wanted.get(i).contains(number))) {
          topic
              .partitions()
              .add(
                  new DescribeLogDirsPartition()
                      .setPartitionIndex(number)
                      .setPartitionSize(snapshot.get().sizeBytes()));
        }
      }
      directory.topics().add(topic);
    }
    DescribeLogDirsResponseData response = new DescribeLogDirsResponseData();
    response.results().add(directory);
    return response;
  }
}
