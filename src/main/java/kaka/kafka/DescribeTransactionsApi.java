package kaka.kafka;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.transaction.Transaction;
import kaka.transaction.TransactionPartition;
import kaka.transaction.TransactionRequest;
import kaka.transaction.TransactionResult;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicDataCollection;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TransactionState;
import org.apache.kafka.common.protocol.Errors;

/** DESCRIBE_TRANSACTIONS: what the coordinator knows of transactional ids; offsets of groups are no partition to Kafka's clients. */
final class DescribeTransactionsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    List<String> ids = call.request(DescribeTransactionsRequestData.class).transactionalIds();
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.Describe(ids),
        result -> {
          DescribeTransactionsResponseData response = new DescribeTransactionsResponseData();
          List<Optional<Transaction>> found = ((TransactionResult.Described) result).transactions();
          for (int i = 0; i < ids.size(); i++) {
            response.transactionStates().add(state(ids.get(i), found.get(i)));
          }
          return response;
        },
        (error, message) -> {
          DescribeTransactionsResponseData response = new DescribeTransactionsResponseData();
          ids.forEach(
              id ->
                  response
                      .transactionStates()
                      .add(new TransactionState().setTransactionalId(id).setErrorCode(error.code())));
          return response;
        });
  }

  private static TransactionState state(String id, Optional<Transaction> found) {
    TransactionState state = new TransactionState().setTransactionalId(id);
    if (found.isEmpty()) {
      return state.setErrorCode(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
    }
    Transaction transaction = found.get();
    Map<String, TopicData> topics = new LinkedHashMap<>();
    for (TransactionPartition partition : transaction.partitions()) {
      if (!partition.equals(TransactionPartition.OFFSETS)) {
        topics
            .computeIfAbsent(partition.partition().topic(), name -> new TopicData())
            .partitions()
            .add(partition.partition().partition());
      }
    }
    state.setTopics(new TopicDataCollection(Places.room(topics.size())));
    topics.forEach((name, topic) -> Places.add(state.topics(), topic, TopicData::setTopic, name));
    return state
        .setTransactionState(transaction.phase().text())
        .setTransactionTimeoutMs(transaction.timeoutMs())
        .setTransactionStartTimeMs(transaction.startedMs())
        .setProducerId(transaction.producerId())
        .setProducerEpoch(transaction.epoch());
  }
}
