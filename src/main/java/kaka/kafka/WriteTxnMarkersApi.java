package kaka.kafka;

import java.util.Optional;
import kaka.connection.Exchange;
import kaka.partition.PartitionHandle;
import kaka.record.TopicPartition;
import kaka.topic.TopicRoute;
import kaka.transaction.TransactionCoordinator;
import kaka.transaction.TransactionPartition;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import org.apache.kafka.common.protocol.Errors;

/**
 * WRITE_TXN_MARKERS, as Kafka's administration sends it: aborts a transaction that is open in a partition and that the coordinator
 * knows nothing of. One that it knows is the coordinator's to end (INVALID_TXN_STATE), and so is every commit; another epoch than
 * that of the open transaction is refused (INVALID_PRODUCER_EPOCH), for it would fence the producer.
 */
final class WriteTxnMarkersApi implements Api {
  /** An administrator aborts one at a time; the coordinator looks through all it knows for each. */
  private static final int MAX_PARTITIONS = 100;

  @Override
  public Exchange handle(Call call) {
    return new Answer(call, answer -> ask(call, answer));
  }

  private static void ask(Call call, Answer answer) {
    WriteTxnMarkersResponseData response = new WriteTxnMarkersResponseData();
    Questions questions = new Questions(call);
    int count = 0;
    for (WritableTxnMarker marker : call.request(WriteTxnMarkersRequestData.class).markers()) {
      WritableTxnMarkerResult result = new WritableTxnMarkerResult().setProducerId(marker.producerId());
      response.markers().add(result);
      for (WritableTxnMarkerTopic topic : marker.topics()) {
        WritableTxnMarkerTopicResult topicResult = new WritableTxnMarkerTopicResult().setName(topic.name());
        result.topics().add(topicResult);
        for (int number : topic.partitionIndexes()) {
          WritableTxnMarkerPartitionResult partitionResult = new WritableTxnMarkerPartitionResult().setPartitionIndex(number);
          topicResult.partitions().add(partitionResult);
          if (marker.producerId() < 0 || marker.producerEpoch() < 0 || ++count > MAX_PARTITIONS) {
            partitionResult.setErrorCode(Errors.INVALID_REQUEST.code());
          } else {
            ask(call, questions, marker, topic.name(), partitionResult);
          }
        }
      }
    }
    questions.whenAnswered(() -> answer.complete(response));
  }

  private static void ask(
      Call call, Questions questions, WritableTxnMarker marker, String topic, WritableTxnMarkerPartitionResult result) {
    int number = result.partitionIndex();
    Optional<TopicRoute> route = call.topics().table().find(topic);
    Optional<PartitionHandle> partition = route.flatMap(found -> found.partition(number));
    if (partition.isEmpty()) {
      result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    } else if (marker.transactionResult()) {
      result.setErrorCode(Errors.INVALID_TXN_STATE.code());
    } else {
      TransactionPartition named = new TransactionPartition(route.get().topic().id(), new TopicPartition(topic, number));
      questions.askPartitionByCoordinator(
          partition.get(),
          id ->
              new TransactionCoordinator.AbortUnknown(
                  named, marker.producerId(), marker.producerEpoch(), partition.get().actor(), id, call.connection().partitionReplies()),
          ended -> {},
          error -> result.setErrorCode(error.code()));
    }
  }
}
