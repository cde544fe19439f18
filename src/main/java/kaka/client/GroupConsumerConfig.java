package kaka.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How a {@link GroupConsumer} is a member of its group.
 *
 * @param group its name, 1 to 255 bytes
 * @param topics wanted, at least one; one that does not exist yet is shared out when it is created
 * @param instanceId empty, or a name under which the member can come back and get its partitions again
 * @param strategies ways of assigning, the one liked best first: {@code sticky}, {@code range}, {@code roundrobin}
 * @param sessionTimeout after so much silence the broker takes the member for dead; at least 1 ms, and what the broker allows
 * @param rebalanceTimeout how long, at most, between the news that the group rebalances and the next {@code poll}
 * @param start where to start in a partition for which nothing is committed
 * @param fetching how it fetches
 */
public record GroupConsumerConfig(
    String group,
    List<String> topics,
    String instanceId,
    List<String> strategies,
    Duration sessionTimeout,
    Duration rebalanceTimeout,
    StartPosition start,
    ConsumerConfig fetching) {
  public GroupConsumerConfig {
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(fetching, "fetching");
    topics = List.copyOf(topics);
    strategies = List.copyOf(strategies);
    if (group.isEmpty()) {
      throw new IllegalArgumentException("group is empty");
    }
    if (topics.isEmpty()) {
      throw new IllegalArgumentException("no topic to consume");
    }
    topics.forEach(ProducerRecord::checkTopic);
    ClientConfig.atLeastOneMs("sessionTimeout", sessionTimeout);
    ClientConfig.atLeastOneMs("rebalanceTimeout", rebalanceTimeout);
  }

  /** A dynamic member that starts at the oldest records; session timeout 10 s, rebalance timeout 60 s. */
  public static GroupConsumerConfig of(String group, List<String> topics) {
    return new GroupConsumerConfig(
        group,
        topics,
        "",
        List.of("sticky", "range", "roundrobin"),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        StartPosition.EARLIEST,
        ConsumerConfig.defaults());
  }

  public GroupConsumerConfig withInstanceId(String instanceId) {
    return new GroupConsumerConfig(
        group, topics, instanceId, strategies, sessionTimeout, rebalanceTimeout, start, fetching);
  }

  public GroupConsumerConfig withSessionTimeout(Duration sessionTimeout) {
    return new GroupConsumerConfig(
        group, topics, instanceId, strategies, sessionTimeout, rebalanceTimeout, start, fetching);
  }

  public GroupConsumerConfig withStart(StartPosition start) {
    return new GroupConsumerConfig(
        group, topics, instanceId, strategies, sessionTimeout, rebalanceTimeout, start, fetching);
  }
}
