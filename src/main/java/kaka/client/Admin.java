package kaka.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kaka.protocol.AddPartitions;
import kaka.protocol.AddPartitionsReply;
import kaka.protocol.AlterTopic;
import kaka.protocol.AlterTopicReply;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DeleteRecords;
import kaka.protocol.DeleteRecordsReply;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.record.TopicPartition;

/**
 * Asks about topics and changes them. Safe for use by many threads. Futures fail with a {@link KakaException}; a change whose
 * connection ended before its answer may have been made.
 */
public final class Admin {
  private final RequestLink link;
  private final PartitionCounts partitionCounts;

  Admin(RequestLink link, PartitionCounts partitionCounts) {
    this.link = link;
    this.partitionCounts = partitionCounts;
  }

  /**
   * Creates a topic; it will be there after a restart, too.
   *
   * @param partitions how many, or 0 for the broker's default
   * @param settings those that differ from the broker's
   */
  public CompletableFuture<TopicInfo> createTopic(String name, int partitions, Map<String, String> settings) {
    return link.ask(new CreateTopic(name, partitions, settings), CreateTopicReply.class, Duration.ZERO)
        .thenApply(
            reply -> {
              partitionCounts.forget(name);
              return new TopicInfo(name, reply.topicId(), reply.partitions());
            });
  }

  /**
   * Gives a topic more partitions. Records stay where they are; a key's next record may go to another partition than those
   * before it, once producers know. Producers and consumers of this client ask every {@link ClientConfig#metadataRefresh}.
   *
   * @param partitions how many it is to have in all
   * @return how many it has
   */
  public CompletableFuture<Integer> addPartitions(String name, int partitions) {
    return link.ask(new AddPartitions(name, partitions), AddPartitionsReply.class, Duration.ZERO)
        .thenApply(
            reply -> {
              partitionCounts.forget(name);
              return reply.partitions();
            });
  }

  /**
   * Changes settings of a topic: all of them, or none. They are in force when the future completes.
   *
   * @param changes name to value; an empty value goes back to the broker's
   */
  public CompletableFuture<Void> alterTopic(String name, Map<String, String> changes) {
    return link.ask(new AlterTopic(name, changes), AlterTopicReply.class, Duration.ZERO).thenAccept(reply -> {});
  }

  /** Deletes a topic and all its records. */
  public CompletableFuture<Void> deleteTopic(String name) {
    return link.ask(new DeleteTopic(name), DeleteTopicReply.class, Duration.ZERO)
        .thenAccept(reply -> partitionCounts.forget(name));
  }

  /** All topics, by name. */
  public CompletableFuture<List<TopicInfo>> listTopics() {
    return link.ask(new Metadata(List.of()), MetadataReply.class, Duration.ZERO)
        .thenApply(
            reply ->
                reply.topics().stream()
                    .filter(topic -> topic.error() == 0)
                    .map(topic -> new TopicInfo(topic.name(), topic.id(), topic.partitions()))
                    .sorted(Comparator.comparing(TopicInfo::name))
                    .toList());
  }

  public CompletableFuture<TopicDescription> describeTopic(String name) {
    return link.ask(new DescribeTopic(name), DescribeTopicReply.class, Duration.ZERO)
        .thenApply(reply -> description(name, reply));
  }

  private static TopicDescription description(String name, DescribeTopicReply reply) {
    return new TopicDescription(
        name,
        reply.topicId(),
        reply.settings().stream()
            .map(each -> new TopicDescription.Setting(each.name(), each.value(), isOwn(each)))
            .toList(),
        reply.partitions().stream()
            .map(Admin::partition)
            .sorted(Comparator.comparingInt(TopicDescription.Partition::partition))
            .toList());
  }

  private static boolean isOwn(DescribeTopicReply.Setting setting) {
    return setting.source() == DescribeTopicReply.Source.TOPIC;
  }

  private static TopicDescription.Partition partition(DescribeTopicReply.Partition each) {
    return new TopicDescription.Partition(
        each.partition(),
        each.state().name().toLowerCase(Locale.ROOT),
        each.logStartOffset(),
        each.highWatermark(),
        each.sizeBytes(),
        each.reason());
  }

  /** The first record of {@code partition} at {@code time} or later; the high watermark, if there is none. */
  public CompletableFuture<Long> offsetForTime(TopicPartition partition, Instant time) {
    return offset(partition, Math.max(0, time.toEpochMilli()));
  }

  /**
   * Deletes the records of {@code partition} below {@code beforeOffset}; they stay deleted after a restart.
   *
   * @param beforeOffset the first that stays, at most the high watermark
   * @return the oldest record kept: more than asked for, if those before it were gone already
   */
  public CompletableFuture<Long> deleteRecords(TopicPartition partition, long beforeOffset) {
    if (beforeOffset < 0) {
      throw new IllegalArgumentException("beforeOffset " + beforeOffset);
    }
    return delete(new DeleteRecords(partition, beforeOffset));
  }

  /** Deletes all records of {@code partition} that can be read when the broker gets to it. @return the oldest record kept */
  public CompletableFuture<Long> deleteAllRecords(TopicPartition partition) {
    return delete(new DeleteRecords(partition, DeleteRecords.ALL));
  }

  private CompletableFuture<Long> delete(DeleteRecords request) {
    return link.ask(request, DeleteRecordsReply.class, Duration.ZERO).thenApply(DeleteRecordsReply::logStartOffset);
  }

  /** The oldest record kept. */
  public CompletableFuture<Long> earliestOffset(TopicPartition partition) {
    return offset(partition, OffsetForTime.EARLIEST);
  }

  /** The high watermark: one past the newest record that can be read. */
  public CompletableFuture<Long> latestOffset(TopicPartition partition) {
    return offset(partition, OffsetForTime.LATEST);
  }

  private CompletableFuture<Long> offset(TopicPartition partition, long timestampMs) {
    return link.ask(new OffsetForTime(partition, timestampMs), OffsetForTimeReply.class, Duration.ZERO)
        .thenApply(OffsetForTimeReply::offset);
  }
}
