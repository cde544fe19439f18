package kaka.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.AnswerBuffer;
import kaka.connection.Appends;
import kaka.connection.ConnectionQuota;
import kaka.connection.Exchange;
import kaka.log.LogSnapshot;
import kaka.metrics.Protocol;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.topic.Topic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.protocol.Errors;

/**
 * A produce: answered when each of its partitions has. With acks=0 there is no answer, but its credit, too, comes back only
 * then; and a client that cannot be told of a failure is told by the end of its connection.
 */
final class ProduceExchange extends Exchange {
  private final Call call;
  private final boolean isSilent;
  private final boolean isAcksKnown;
  private final ProduceResponseData response;
  private final List<Slot> slots = new ArrayList<>();
  private int waiting;
  private boolean taken;
  private Optional<ProduceCheck> apart = Optional.empty();
  private byte[] frame;

  ProduceExchange(Call call, ProduceRequestData request) {
    super(call.bodyBytes());
    this.call = call;
    this.isSilent = request.acks() == 0;
    this.isAcksKnown = request.acks() >= -1 && request.acks() <= 1;
    this.response = new ProduceResponseData().setResponses(new TopicProduceResponseCollection(Places.room(request.topicData().size())));
    for (TopicProduceData topic : request.topicData()) {
      TopicProduceResponse topicResponse = new TopicProduceResponse();
      for (PartitionProduceData partition : topic.partitionData()) {
        PartitionProduceResponse partitionResponse =
            new PartitionProduceResponse().setIndex(partition.index()).setBaseOffset(-1).setLogStartOffset(-1);
        topicResponse.partitionResponses().add(partitionResponse);
        slots.add(new Slot(partitionResponse));
      }
      Places.add(response.responses(), topicResponse, TopicProduceResponse::setName, topic.name());
      topicResponse.setTopicId(topic.topicId()); // it is a part of the hash too
    }
  }

  /** The client is told to wait; the answer does not. */
  void throttled(Duration throttle) {
    response.setThrottleTimeMs(ConnectionQuota.millisOf(throttle));
  }

  /** In the order of the request. */
  Slot slot(int index) {
    return slots.get(index);
  }

  /** 1 is as good as all: there is one replica. */
  boolean isAcksKnown() {
    return isAcksKnown;
  }

  /** A slot whose batch is not checked here; see {@link #apart}. */
  void checkApart(Slot slot, PartitionHandle partition, Topic topic, byte[] array, int from, int to) {
    if (apart.isEmpty()) {
      apart = Optional.of(new ProduceCheck());
    }
    apart.get().add(slot, partition, topic, array, from, to);
  }

  /** What else is to be checked before all is {@link #taken}. */
  Optional<ProduceCheck> apart() {
    return apart;
  }

  /** Every slot has its batch on the way, or has failed. */
  void taken() {
    taken = true;
    apart = Optional.empty(); // its batches are the partitions'
    completeIfDone();
  }

  private void completeIfDone() {
    if (taken && waiting == 0 && !isSilent) {
      frame = call.frame(response).write();
    }
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (isSilent) {
      return taken && waiting == 0;
    }
    if (frame == null) {
      return false;
    }
    out.add(frame);
    return true;
  }

  /** One partition of the produce. */
  final class Slot implements Appends.Waiter {
    private final PartitionProduceResponse response;
    private PartitionHandle partition;

    private Slot(PartitionProduceResponse response) {
      this.response = response;
    }

    /** Its batch goes to {@code handle}, which will answer. */
    void wait(PartitionHandle handle) {
      partition = handle;
      waiting++;
    }

    void fail(Errors error, String message) {
      call.services().metrics().requests().refused(Protocol.KAFKA, KafkaErrors.label(error));
      response.setErrorCode(error.code()).setErrorMessage(message);
      if (isSilent) {
        call.side().end("a produce with acks=0 failed: " + error + ": " + message);
      }
    }

    @Override
    public void stored(long baseOffset) {
      response
          .setBaseOffset(baseOffset)
          .setLogStartOffset(partition.view().snapshot().map(LogSnapshot::logStartOffset).orElse(-1L));
      settled();
    }

    @Override
    public void notStored(PartitionReply.NotStored reason) {
      fail(KafkaErrors.of(reason.reason()), reason.detail());
      settled();
    }

    @Override
    public void refused(PartitionHandle partition, Refusal reason) {
      if (reason == Refusal.CLOSED) {
        stopped(partition);
      } else {
        fail(KafkaErrors.of(reason), reason.text());
        settled();
      }
    }

    @Override
    public void stopped(PartitionHandle partition) {
      fail(KafkaErrors.unusable(call.services().routes().table(), partition), "the partition is closed");
      settled();
    }

    private void settled() {
      waiting--;
      completeIfDone();
    }
  }
}
