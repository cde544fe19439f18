package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
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
    return new Answer(call, answer -> new Questions(call, answer).ask());
  }

  /** One for each partition of each marker; answered when all are. */
  private static final class Questions {
    private final Call call;
    private final Answer answer;
    private final WriteTxnMarkersResponseData response = new WriteTxnMarkersResponseData();
    private int openCount = 1; // until all are asked
    private int count;

    Questions(Call call, Answer answer) {
      this.call = call;
      this.answer = answer;
    }

    void ask() {
      for (WritableTxnMarker marker : call.request(WriteTxnMarkersRequestData.class).markers()) {
        WritableTxnMarkerResult result = new WritableTxnMarkerResult().setProducerId(marker.producerId());
        response.markers().add(result);
        for (WritableTxnMarkerTopic topic : marker.topics()) {
          WritableTxnMarkerTopicResult topicResult = new WritableTxnMarkerTopicResult().setName(topic.name());
          result.topics().add(topicResult);
          for (int number : topic.partitionIndexes()) {
            WritableTxnMarkerPartitionResult partitionResult = new WritableTxnMarkerPartitionResult().setPartitionIndex(number);
            topicResult.partitions().add(partitionResult);
            ask(marker, topic.name(), partitionResult);
          }
        }
      }
      settle();
    }

    private void ask(WritableTxnMarker marker, String topic, WritableTxnMarkerPartitionResult result) {
      int number = result.partitionIndex();
      Optional<TopicRoute> route = call.topics().table().find(topic);
      Optional<PartitionHandle> partition = route.flatMap(found -> found.partition(number));
      if (marker.producerId() < 0 || marker.producerEpoch() < 0 || ++count > MAX_PARTITIONS) {
        result.setErrorCode(Errors.INVALID_REQUEST.code());
      } else if (partition.isEmpty()) {
        result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
      } else if (marker.transactionResult()) {
        result.setErrorCode(Errors.INVALID_TXN_STATE.code());
      } else {
        openCount++;
        long id = call.connection().expect(new Question(partition.get(), result));
        TransactionPartition named =
            new TransactionPartition(route.get().topic().id(), new TopicPartition(topic, number));
        call.services()
            .transactions()
            .coordinator()
            .tell(
                new TransactionCoordinator.AbortUnknown(
                    named, marker.producerId(), marker.producerEpoch(), partition.get().actor(), id, call.connection().partitionReplies()));
      }
    }

    private void settle() {
      openCount--;
      if (openCount == 0) {
        answer.complete(response);
      }
    }

    private final class Question implements ReplyTarget {
      private final PartitionHandle partition;
      private final WritableTxnMarkerPartitionResult result;

      Question(PartitionHandle partition, WritableTxnMarkerPartitionResult result) {
        this.partition = partition;
        this.result = result;
      }

      @Override
      public ActorRef<PartitionActor.Command> asked() {
        return partition.actor();
      }

      @Override
      public void onPartitionReply(PartitionReply reply) {
        if (reply instanceof PartitionReply.Refused refused) {
          result.setErrorCode(KafkaErrors.of(refused.reason()).code());
        }
        settle();
      }

      @Override
      public void onStopped() {
        result.setErrorCode(KafkaErrors.unusable(call.services().routes().table(), partition).code());
        settle();
      }
    }
  }
}
