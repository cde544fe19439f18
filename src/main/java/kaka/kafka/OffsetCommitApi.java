package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** OFFSET_COMMIT: by topic name, or, from version 10 on, by id. */
final class OffsetCommitApi implements Api {
  @Override
  public Exchange handle(Call call) {
    OffsetCommitRequestData request = call.request(OffsetCommitRequestData.class);
    OffsetCommitResponseData response = new OffsetCommitResponseData();
    List<GroupRequest.OffsetToCommit> offsets = new ArrayList<>();
    List<OffsetCommitResponsePartition> outcomes = new ArrayList<>(); // of those offsets
    Topics topics = call.topics();
    for (OffsetCommitRequestTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.find(topic.name(), topic.topicId());
      OffsetCommitResponseTopic result = new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
      for (OffsetCommitRequestPartition partition : topic.partitions()) {
        OffsetCommitResponsePartition outcome =
            new OffsetCommitResponsePartition().setPartitionIndex(partition.partitionIndex());
        result.partitions().add(outcome);
        if (route.isEmpty()) {
          outcome.setErrorCode(Topics.unknown(topic.topicId()).code());
        } else if (route.get().partition(partition.partitionIndex()).isEmpty()) {
          outcome.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else if (!StoredOffset.isLegal(partition.committedOffset())) {
          outcome.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else {
          offsets.add(offset(route.get(), partition));
          outcomes.add(outcome);
        }
      }
      response.topics().add(result);
    }
    return offsets.isEmpty() ? Answer.of(call, response) : commit(call, request, offsets, outcomes, response);
  }

  private static GroupRequest.OffsetToCommit offset(TopicRoute route, OffsetCommitRequestPartition asked) {
    return new GroupRequest.OffsetToCommit(
        new TopicIdPartition(route.topic().id(), asked.partitionIndex()),
        asked.committedOffset(),
        asked.committedLeaderEpoch(),
        asked.committedMetadata() == null ? "" : asked.committedMetadata());
  }

  private static Exchange commit(
      Call call,
      OffsetCommitRequestData request,
      List<GroupRequest.OffsetToCommit> offsets,
      List<OffsetCommitResponsePartition> outcomes,
      OffsetCommitResponseData response) {
    int generation = request.generationIdOrMemberEpoch();
    GroupRequest commit =
        new GroupRequest.Commit(
            request.groupId(),
            generation < 0 ? OptionalInt.empty() : OptionalInt.of(generation),
            request.memberId(),
            Optional.ofNullable(request.groupInstanceId()),
            offsets);
    return GroupQuestion.answer(
        call,
        commit,
        result -> {
          GroupResult.Committed committed = (GroupResult.Committed) result;
          for (int i = 0; i < outcomes.size(); i++) {
            outcomes.get(i).setErrorCode(KafkaErrors.codeOf(committed.errors().get(i)));
          }
          return response;
        },
        (error, message) -> {
          outcomes.forEach(outcome -> outcome.setErrorCode(error.code()));
          return response;
        });
  }
}
