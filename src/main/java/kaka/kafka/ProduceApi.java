package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import kaka.connection.Checks;
import kaka.connection.Exchange;
import kaka.partition.PartitionHandle;
import kaka.record.RecordBatch;
import kaka.topic.Topic;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * PRODUCE: one record batch per partition, checked, here or where it may take long, and stored as it came. Where one batch is
 * checked elsewhere, those behind it in the request are too: a request may name a partition more than once, and its batches are
 * stored in the order they have there.
 */
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
        take(call, exchange, exchange.slot(slot++), topic, route, partition);
      }
    }
    exchange.apart().ifPresentOrElse(check -> start(call, exchange, check), exchange::taken);
    return exchange;
  }

  private static void take(
      Call call,
      ProduceExchange exchange,
      ProduceExchange.Slot slot,
      TopicProduceData topic,
      Optional<TopicRoute> route,
      PartitionProduceData partition) {
    Optional<PartitionHandle> handle = route.flatMap(found -> found.partition(partition.index()));
    BaseRecords came = partition.records();
    partition.setRecords(null); // the request stays until it is answered, and is not to keep its frame
    if (!exchange.isAcksKnown()) {
      slot.fail(Errors.INVALID_REQUIRED_ACKS, "acks is 0, 1 or all");
    } else if (route.isEmpty()) {
      slot.fail(Topics.unknown(topic.topicId()), "no such topic");
    } else if (handle.isEmpty()) {
      slot.fail(Errors.UNKNOWN_TOPIC_OR_PARTITION, "no partition " + partition.index());
    } else if (!(came instanceof MemoryRecords records) || records.sizeInBytes() == 0) {
      slot.fail(Errors.INVALID_RECORD, "no record batch");
    } else {
      take(call, exchange, slot, route.get().topic(), handle.get(), records.buffer());
    }
  }

  private static void take(
      Call call, ProduceExchange exchange, ProduceExchange.Slot slot, Topic topic, PartitionHandle handle, ByteBuffer buffer) {
    byte[] array = buffer.array();
    int from = buffer.arrayOffset() + buffer.position();
    int to = from + buffer.remaining();
    if (call.bodyBytes() > Checks.LIGHT_BYTES || RecordBatch.claimsCompression(array, from, to) || exchange.apart().isPresent()) {
      exchange.checkApart(slot, handle, topic, array, from, to);
      return;
    }
    try {
      ProducedBatch batch = ProducedBatch.check(array, from, to, topic, call.services().memory());
      if (call.side().input().handOver(batch.sizeBytes())) {
        append(call, slot, handle, batch.detached());
      } else {
        slot.fail(KafkaErrors.NO_ROOM, KafkaErrors.NO_MEMORY);
      }
    } catch (ProducedBatch.RefusedException e) {
      slot.fail(e.error(), e.getMessage());
    }
  }

  private static void append(Call call, ProduceExchange.Slot slot, PartitionHandle handle, RecordBatch batch) {
    slot.wait(handle);
    call.side().appends().add(handle, batch, slot);
  }

  // ---------------------------------------------------------------- apart from the connection's thread

  /** The frame's charge is that of its batches as they came; the check has those that it copies charged. */
  private static void start(Call call, ProduceExchange exchange, ProduceCheck check) {
    if (call.side().input().handOver(call.bodyBytes())) {
      call.connection().checks().start(check, call.bodyBytes(), (batches, chargedBytes) -> checked(call, exchange, batches, chargedBytes));
    } else {
      check.batches().forEach(batch -> batch.slot().fail(KafkaErrors.NO_ROOM, KafkaErrors.NO_MEMORY));
      exchange.taken();
    }
  }

  private static void checked(Call call, ProduceExchange exchange, List<ProduceCheck.Batch> batches, long chargedBytes) {
    long keptBytes = batches.stream().flatMap(batch -> batch.good().stream()).mapToLong(RecordBatch::sizeBytes).sum();
    call.services().memory().release(chargedBytes - keptBytes);
    for (ProduceCheck.Batch batch : batches) {
      batch
          .refusal()
          .ifPresentOrElse(
              refusal -> batch.slot().fail(refusal.error(), refusal.getMessage()),
              () -> append(call, batch.slot(), batch.partition(), batch.good().orElseThrow()));
    }
    exchange.taken();
  }
}
