package kaka.kafka;

import java.util.Optional;
import kaka.connection.Exchange;
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
    return new Answer(call, answer -> ask(call, answer));
  }

  private static void ask(Call call, Answer answer) {
    DescribeProducersResponseData response = new DescribeProducersResponseData();
    Questions questions = new Questions(call);
    Topics topics = call.topics();
    for (TopicRequest topic : call.request(DescribeProducersRequestData.class).topics()) {
      TopicResponse found = new TopicResponse().setName(topic.name());
      response.topics().add(found);
      for (int number : topic.partitionIndexes()) {
        PartitionResponse result = new PartitionResponse().setPartitionIndex(number);
        found.partitions().add(result);
        Optional<PartitionHandle> partition = topics.table().find(topic.name()).flatMap(route -> route.partition(number));
        if (partition.isEmpty()) {
          result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else {
          questions.askPartition(
              partition.get(),
              id -> new PartitionActor.DescribeProducers(id, call.connection().partitionReplies()),
              reply -> addTo(result, answer, reply),
              error -> result.setErrorCode(error.code()));
        }
      }
    }
    questions.whenAnswered(() -> answer.complete(response));
  }

  private static void addTo(PartitionResponse result, Answer answer, PartitionReply reply) {
    if (reply instanceof PartitionReply.Producers found && answer.reserve((long) PRODUCER_BYTES * found.producers().size())) {
      found.producers().forEach(each -> result.activeProducers().add(state(each)));
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
