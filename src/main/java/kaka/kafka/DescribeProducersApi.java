package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.log.ActiveProducer;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.Errors;

/** DESCRIBE_PRODUCERS: whom partitions remember, and where their open transactions begin. */
final class DescribeProducersApi implements Api {
  /** What a producer takes as an object. */
  private static final int PRODUCER_BYTES = 120;

  @Override
  public Exchange handle(Call call) {
    return new Answer(call, answer -> new Questions(call, answer).ask());
  }

  /** One to each partition; answered when all are. */
  private static final class Questions {
    private final Call call;
    private final Answer answer;
    private final DescribeProducersResponseData response = new DescribeProducersResponseData();
    private int openCount = 1; // until all are asked

    Questions(Call call, Answer answer) {
      this.call = call;
      this.answer = answer;
    }

    void ask() {
      Topics topics = call.topics();
      for (TopicRequest topic : call.request(DescribeProducersRequestData.class).topics()) {
        TopicResponse found = new TopicResponse().setName(topic.name());
        response.topics().add(found);
        for (int number : topic.partitionIndexes()) {
          PartitionResponse result = new PartitionResponse().setPartitionIndex(number);
          found.partitions().add(result);
          Optional<PartitionHandle> partition =
              topics.table().find(topic.name()).flatMap(route -> route.partition(number));
          if (partition.isEmpty()) {
            result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
          } else {
            openCount++;
            Question question = new Question(partition.get(), result);
            long id = call.connection().expect(question);
            question.asked().tell(new PartitionActor.DescribeProducers(id, call.connection().partitionReplies()));
          }
        }
      }
      settle();
    }

    private void settle() {
      openCount--;
      if (openCount == 0) {
        answer.complete(response);
      }
    }

    private final class Question implements ReplyTarget {
      private final PartitionHandle partition;
      private final PartitionResponse result;

      Question(PartitionHandle partition, PartitionResponse result) {
        this.partition = partition;
        this.result = result;
      }

      @Override
      public ActorRef<PartitionActor.Command> asked() {
        return partition.actor();
      }

      @Override
      public void onPartitionReply(PartitionReply reply) {
        if (reply instanceof PartitionReply.Producers found) {
          if (!answer.reserve((long) PRODUCER_BYTES * found.producers().size())) {
            return; // the connection ends
          }
          found.producers().forEach(each -> result.activeProducers().add(state(each)));
        } else if (reply instanceof PartitionReply.Refused refused) {
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

  private static ProducerState state(ActiveProducer producer) {
    return new ProducerState()
        .setProducerId(producer.producerId())
        .setProducerEpoch(producer.epoch())
        .setLastSequence(producer.lastSequence())
        .setLastTimestamp(producer.lastUsedMs())
        .setCoordinatorEpoch(producer.coordinatorEpoch())
        .setCurrentTxnStartOffset(producer.transactionStart().orElse(-1));
  }
}
