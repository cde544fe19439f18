package kaka.kafka;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.record.TopicPartition;
import kaka.topic.TopicRoute;
import kaka.transaction.TransactionPartition;
import kaka.transaction.TransactionRequest;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** ADD_PARTITIONS_TO_TXN, up to version 3, which is what producers send: all partitions are added, or none. */
final class AddPartitionsToTxnApi implements Api {
  @Override
  public Exchange handle(Call call) {
    AddPartitionsToTxnRequestData request = call.request(AddPartitionsToTxnRequestData.class);
    Topics topics = call.topics();
    Set<TransactionPartition> partitions = new LinkedHashSet<>();
    Set<TopicPartition> unknown = new LinkedHashSet<>();
    for (AddPartitionsToTxnTopic topic : request.v3AndBelowTopics()) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      for (int number : topic.partitions()) {
        if (route.flatMap(found -> found.partition(number)).isPresent()) {
          partitions.add(new TransactionPartition(route.get().topic().id(), new TopicPartition(topic.name(), number)));
        } else if (number >= 0) {
          unknown.add(new TopicPartition(topic.name(), number));
        }
      }
    }
    boolean isKnown = unknown.isEmpty() && request.v3AndBelowTopics().stream().allMatch(AddPartitionsToTxnApi::isSound);
    if (!isKnown) {
      return Answer.of(call, response(request, unknown, Errors.OPERATION_NOT_ATTEMPTED));
    }
    TransactionRequest.Producer producer =
        new TransactionRequest.Producer(request.v3AndBelowProducerId(), request.v3AndBelowProducerEpoch());
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.Add(request.v3AndBelowTransactionalId(), producer, partitions),
        result -> response(request, unknown, Errors.NONE),
        (error, message) -> response(request, unknown, error));
  }

  private static boolean isSound(AddPartitionsToTxnTopic topic) {
    return topic.partitions().stream().allMatch(number -> number >= 0);
  }

  private static AddPartitionsToTxnResponseData response(
      AddPartitionsToTxnRequestData request, Set<TopicPartition> unknown, Errors error) {
    AddPartitionsToTxnResponseData response = new AddPartitionsToTxnResponseData();
    for (AddPartitionsToTxnTopic topic : request.v3AndBelowTopics()) {
      AddPartitionsToTxnTopicResult result = new AddPartitionsToTxnTopicResult().setName(topic.name());
      for (int number : topic.partitions()) {
        boolean isUnknown = number < 0 || unknown.contains(new TopicPartition(topic.name(), number));
        Errors own = isUnknown ? Errors.UNKNOWN_TOPIC_OR_PARTITION : error;
        result
            .resultsByPartition()
            .add(new AddPartitionsToTxnPartitionResult().setPartitionIndex(number).setPartitionErrorCode(own.code()));
      }
      response.resultsByTopicV3AndBelow().add(result);
    }
    return response;
  }
}
