package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.partition.PartitionHandle;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** PRODUCE: one record batch per partition, checked, and stored as it came. */
final class ProduceApi implements Api {
  @Override
  public Exchange handle(Call call) {
    ProduceRequestData request = call.request(ProduceRequestData.class);
    ProduceExchange exchange = new ProduceExchange(call, request);
    Topics topics = call.topics();
    exchange.throttled(call.connection().quota().produced(call.bodyBytes()));
    int slot = 0;
    for (TopicProduceData topic : request.topicData()) {
      Optional<TopicRoute> route = topics.find(topic.name(), topic.topicId());
      for (PartitionProduceData partition : topic.partitionData()) {
        take(call, exchange.slot(slot++), topic, route, partition, isAcksKnown(request));
      }
    }
    exchange.taken();
    return exchange;
  }

  /** 1 is as good as all: there is one replica. */
  private static boolean isAcksKnown(ProduceRequestData request) {
    return request.acks() >= -1 && request.acks() <= 1;
  }

  private static void take(
      Call call,
      ProduceExchange.Slot slot,
      TopicProduceData topic,
      Optional<TopicRoute> route,
      PartitionProduceData partition,
      boolean isAcksKnown) {
    Optional<PartitionHandle> handle = route.flatMap(found -> found.partition(partition.index()));
    if (!isAcksKnown) {
      slot.fail(Errors.INVALID_REQUIRED_ACKS, "acks is 0, 1 or all");
    } else if (route.isEmpty()) {
      slot.fail(Topics.unknown(topic.topicId()), "no such topic");
    } else if (handle.isEmpty()) {
      slot.fail(Errors.UNKNOWN_TOPIC_OR_PARTITION, "no partition " + partition.index());
    } else {
      take(call, slot, route.get(), handle.get(), partition);
    }
  }

  private static void take(
      Call call, ProduceExchange.Slot slot, TopicRoute route, PartitionHandle handle, PartitionProduceData data) {
    if (!(data.records() instanceof MemoryRecords records) || records.sizeInBytes() == 0) {
      slot.fail(Errors.INVALID_RECORD, "no record batch");
      return;
    }
    ByteBuffer buffer = records.buffer();
    int from = buffer.arrayOffset() + buffer.position();
    try {
      ProducedBatch batch =
          ProducedBatch.check(
              buffer.array(), from, from + buffer.remaining(), route.topic(), call.services().memory());
      if (call.side().input().handOver(batch.sizeBytes())) {
        slot.wait(handle);
        call.side().appends().add(handle, batch.detached(), slot);
      } else {
        slot.fail(KafkaErrors.NO_ROOM, KafkaErrors.NO_MEMORY);
      }
    } catch (ProducedBatch.RefusedException e) {
      slot.fail(e.error(), e.getMessage());
    }
  }
}
