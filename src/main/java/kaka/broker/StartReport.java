package kaka.broker;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import kaka.record.TopicPartition;

/**
 * What a start came to.
 *
 * @param address listened on, with the port that was chosen where 0 was asked for
 * @param failed partitions that did not open, or opened for reading only
 * @param topicsProblem why topics cannot be created or deleted; empty if they can
 * @param groupsProblem why nothing can be committed; empty if it can
 * @param transactionsProblem why there are no transactions; empty if there are
 * @param admin where the admin server listens, if there is one
 * @param recovery how long it took to open them all
 */
public record StartReport(
    InetSocketAddress address,
    int topicCount,
    int partitionCount,
    List<TopicPartition> failed,
    String topicsProblem,
    String groupsProblem,
    String transactionsProblem,
    Optional<InetSocketAddress> admin,
    Duration recovery) {
  public StartReport {
    failed = List.copyOf(failed);
  }
}
