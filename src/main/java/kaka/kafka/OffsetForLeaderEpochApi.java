package kaka.kafka;

import java.util.Optional;
import kaka.connection.Exchange;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionHandle;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/**
 * OFFSET_FOR_LEADER_EPOCH: where a leader's records end (KIP-320). There was never another leader, so the one epoch ends where
 * the log does, and a consumer never finds that records it has read are gone.
 */
final class OffsetForLeaderEpochApi implements Api {
  @Override
  public Exchange handle(Call call) {
    return new Answer(call, answer -> answer.complete(response(call)));
  }

  private static OffsetForLeaderEpochResponseData response(Call call) {
    OffsetForLeaderEpochRequestData request = call.request(OffsetForLeaderEpochRequestData.class);
    OffsetForLeaderEpochResponseData response =
        new OffsetForLeaderEpochResponseData().setTopics(new OffsetForLeaderTopicResultCollection(Places.room(request.topics().size())));
    Topics topics = call.topics();
    for (OffsetForLeaderTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.table().find(topic.topic());
      OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult();
      for (OffsetForLeaderPartition partition : topic.partitions()) {
        result.partitions().add(end(topics, route.flatMap(found -> found.partition(partition.partition())), partition));
      }
      Places.add(response.topics(), result, OffsetForLeaderTopicResult::setTopic, topic.topic());
    }
    return response;
  }

  private static EpochEndOffset end(Topics topics, Optional<PartitionHandle> handle, OffsetForLeaderPartition asked) {
    EpochEndOffset end = new EpochEndOffset().setPartition(asked.partition());
    Optional<LogSnapshot> snapshot = handle.flatMap(found -> found.view().snapshot());
    if (handle.isEmpty()) {
      return end.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }
    if (snapshot.isEmpty()) {
      return end.setErrorCode(KafkaErrors.unusable(topics.table(), handle.get()).code());
    }
    if (asked.currentLeaderEpoch() > Node.LEADER_EPOCH) {
      return end.setErrorCode(Errors.UNKNOWN_LEADER_EPOCH.code());
    }
    boolean isKnown = asked.leaderEpoch() == Node.LEADER_EPOCH;
    return isKnown ? end.setLeaderEpoch(Node.LEADER_EPOCH).setEndOffset(snapshot.get().highWatermark()) : end;
  }
}
