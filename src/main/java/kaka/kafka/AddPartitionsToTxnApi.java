package kaka.kafka;

import java.util.BitSet;
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
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResultCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** ADD_PARTITIONS_TO_TXN, up to version 3, which is what producers send: all partitions are added, or none. */
final class AddPartitionsToTxnApi implements Api {
  @Override
  public Exchange handle(Call call) {
    AddPartitionsToTxnRequestData request = call.request(AddPartitionsToTxnRequestData.class);
    Topics topics = call.topics();
    Set<TransactionPartition> partitions = new LinkedHashSet<>();
    BitSet unknown = new BitSet(); // by the order of the request
    int count = 0;
    for (AddPartitionsToTxnTopic topic : request.v3AndBelowTopics()) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      for (int number : topic.partitions()) {
        if (route.flatMap(found -> found.partition(number)).isPresent()) {
          partitions.add(new TransactionPartition(route.get().topic().id(), new TopicPartition(topic.name(), number)));
        } else {
          unknown.set(count);
        }
        count++;
      }
    }
    if (!unknown.isEmpty()) {
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

  /** @param unknown partitions, by the order of the request */
  private static AddPartitionsToTxnResponseData response(AddPartitionsToTxnRequestData request, BitSet unknown, Errors error) {
    AddPartitionsToTxnTopicResultCollection results =
        new AddPartitionsToTxnTopicResultCollection(Places.room(request.v3AndBelowTopics().size()));
    int count = 0;
    for (AddPartitionsToTxnTopic topic : request.v3AndBelowTopics()) {
      AddPartitionsToTxnTopicResult result =
          new AddPartitionsToTxnTopicResult()
              .setResultsByPartition(new AddPartitionsToTxnPartitionResultCollection(Places.room(topic.partitions().size())));
      for (int number : topic.partitions()) {
        Errors own = unknown.get(count++) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : error;
        AddPartitionsToTxnPartitionResult outcome = new AddPartitionsToTxnPartitionResult().setPartitionErrorCode(own.code());
        Places.add(result.resultsByPartition(), outcome, AddPartitionsToTxnPartitionResult::setPartitionIndex, number);
      }
      Places.add(results, result, AddPartitionsToTxnTopicResult::setName, topic.name());
    }
    return new AddPartitionsToTxnResponseData().setResultsByTopicV3AndBelow(results);
  }
}
