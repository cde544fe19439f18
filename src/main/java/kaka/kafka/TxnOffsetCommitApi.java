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
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** TXN_OFFSET_COMMIT: offsets that count once the producer's transaction is committed. */
final class TxnOffsetCommitApi implements Api {
  @Override
  public Exchange handle(Call call) {
    TxnOffsetCommitRequestData request = call.request(TxnOffsetCommitRequestData.class);
    TxnOffsetCommitResponseData response = new TxnOffsetCommitResponseData();
    List<GroupRequest.OffsetToCommit> offsets = new ArrayList<>();
    List<TxnOffsetCommitResponsePartition> outcomes = new ArrayList<>(); // of those offsets
    Topics topics = call.topics();
    for (TxnOffsetCommitRequestTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      TxnOffsetCommitResponseTopic result = new TxnOffsetCommitResponseTopic().setName(topic.name());
      for (TxnOffsetCommitRequestPartition partition : topic.partitions()) {
        TxnOffsetCommitResponsePartition outcome =
            new TxnOffsetCommitResponsePartition().setPartitionIndex(partition.partitionIndex());
        result.partitions().add(outcome);
        if (route.flatMap(found -> found.partition(partition.partitionIndex())).isEmpty()) {
          outcome.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else if (!StoredOffset.isLegal(partition.committedOffset())) {
          outcome.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else {
          offsets.add(
              new GroupRequest.OffsetToCommit(
                  new TopicIdPartition(route.get().topic().id(), partition.partitionIndex()),
                  partition.committedOffset(),
                  partition.committedLeaderEpoch(),
                  partition.committedMetadata() == null ? "" : partition.committedMetadata()));
          outcomes.add(outcome);
        }
      }
      response.topics().add(result);
    }
    return offsets.isEmpty() ? Answer.of(call, response) : commit(call, request, offsets, outcomes, response);
  }

  private static Exchange commit(
      Call call,
      TxnOffsetCommitRequestData request,
      List<GroupRequest.OffsetToCommit> offsets,
      List<TxnOffsetCommitResponsePartition> outcomes,
      TxnOffsetCommitResponseData response) {
    int generation = request.generationIdOrMemberEpoch();
    GroupRequest.Commit commit =
        new GroupRequest.Commit(
            request.groupId(),
            generation < 0 ? OptionalInt.empty() : OptionalInt.of(generation),
            request.memberId(),
            Optional.ofNullable(request.groupInstanceId()),
            offsets);
    return GroupQuestion.answer(
        call,
        new GroupRequest.CommitInTransaction(commit, request.producerId(), request.producerEpoch()),
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
