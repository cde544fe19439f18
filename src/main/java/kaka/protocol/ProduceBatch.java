package kaka.protocol;

import kaka.record.Allowance;
import kaka.record.BatchValidation;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/**
 * PRODUCE_BATCH, type 0x0b: one record batch in the storage format, stored as it is but for its base offset and leader
 * epoch. Body:
 *
 * <pre>topic_len u16 | topic | partition u32 | batch (Kafka's record batch, magic 2, to the end)</pre>
 *
 * Answered by {@link ProduceAck}.
 *
 * @param batch valid, maybe compressed, not control, not transactional; with producer id, epoch and sequence, or
 *     with none of them (-1)
 */
public record ProduceBatch(TopicPartition partition, RecordBatch batch) implements Request {
  public ProduceBatch {
    Limits.checkTopic(partition.topic());
  }

  static ProduceBatch decode(WireReader in) throws ProtocolException {
    int from = in.position();
    TopicPartition partition = in.topicPartition();
    int position = in.position();
    int to = position + in.remaining();
    BatchValidation validation = new BatchValidation(false, false);
    RecordBatch inPlace = ProducedBatch.check(in.array(), from, position, to, validation, Allowance.UNLIMITED);
    return new ProduceBatch(partition, inPlace.numbered(inPlace.baseOffset(), inPlace.leaderEpoch())); // a copy
  }

  @Override
  public int type() {
    return MessageType.PRODUCE_BATCH;
  }

  @Override
  public void encode(WireWriter out) {
    out.topicPartition(partition).batch(batch);
  }
}
