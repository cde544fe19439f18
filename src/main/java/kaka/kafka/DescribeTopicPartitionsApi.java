package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import kaka.connection.Exchange;
import kaka.partition.PartitionState;
import kaka.topic.TopicName;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopicCollection;
import org.apache.kafka.common.protocol.Errors;

/** DESCRIBE_TOPIC_PARTITIONS: as METADATA, page by page, in the order of the names (KIP-966). */
final class DescribeTopicPartitionsApi implements Api {
  private static final int MAX_PARTITIONS = 2000;

  /** What a topic, or a partition, takes as an object, roughly. */
  private static final int ENTRY_BYTES = 200;

  @Override
  public Exchange handle(Call call) {
    return new Answer(call, answer -> answer(call, answer));
  }

  private static void answer(Call call, Answer answer) {
    DescribeTopicPartitionsRequestData request = call.request(DescribeTopicPartitionsRequestData.class);
    Topics topics = call.topics();
    TreeSet<String> names = new TreeSet<>();
    for (TopicRequest topic : request.topics()) {
      names.add(topic.name());
    }
    if (request.topics().isEmpty()) {
      topics.table().all().forEach(route -> names.add(route.topic().name()));
    }
    String from = request.cursor() == null ? "" : request.cursor().topicName();
    int fromPartition = request.cursor() == null ? 0 : Math.max(0, request.cursor().partitionIndex());
    int limit = Math.max(1, Math.min(MAX_PARTITIONS, request.responsePartitionLimit()));
    if (!answer.reserve((long) ENTRY_BYTES * (limit + names.size()))) {
      return;
    }
    DescribeTopicPartitionsResponseData response =
        new DescribeTopicPartitionsResponseData().setTopics(new DescribeTopicPartitionsResponseTopicCollection(Places.room(names.size())));
    for (String name : names.tailSet(from)) {
      if (limit == 0) {
        response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(0));
        break;
      }
      Optional<TopicRoute> route = topics.table().find(name);
      int start = name.equals(from) ? fromPartition : 0;
      int present = route.map(found -> found.partitions().size()).orElse(0);
      int end = Math.min(present, start + limit);
      DescribeTopicPartitionsResponseTopic topic = route.map(found -> topic(found, start, end)).orElseGet(() -> unknown(name));
      Places.add(response.topics(), topic, DescribeTopicPartitionsResponseTopic::setName, name);
      limit -= Math.max(0, end - start);
      if (end < present) {
        response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(end));
        break;
      }
    }
    answer.complete(response);
  }

  private static DescribeTopicPartitionsResponseTopic topic(TopicRoute route, int start, int end) {
    List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
    for (int i = start; i < end; i++) {
      boolean isOpening = route.partitions().get(i).view().state() == PartitionState.OPENING;
      partitions.add(
          new DescribeTopicPartitionsResponsePartition()
              .setPartitionIndex(i)
              .setErrorCode((isOpening ? Errors.LEADER_NOT_AVAILABLE : Errors.NONE).code())
              .setLeaderId(isOpening ? -1 : Node.ID)
              .setLeaderEpoch(isOpening ? -1 : Node.LEADER_EPOCH)
              .setReplicaNodes(List.of(Node.ID))
              .setIsrNodes(List.of(Node.ID))
              .setEligibleLeaderReplicas(List.of())
              .setLastKnownElr(List.of()));
    }
    return new DescribeTopicPartitionsResponseTopic().setTopicId(Topics.id(route.topic().id())).setPartitions(partitions);
  }

  private static DescribeTopicPartitionsResponseTopic unknown(String name) {
    Errors error =
        TopicName.problemOf(name).isPresent() ? Errors.INVALID_TOPIC_EXCEPTION : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    return new DescribeTopicPartitionsResponseTopic().setErrorCode(error.code()).setTopicId(Uuid.ZERO_UUID);
  }
}
