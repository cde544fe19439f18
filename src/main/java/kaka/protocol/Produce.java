package kaka.protocol;

import kaka.record.Allowance;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;

/**
 * PRODUCE, type 0x01: records to append, all or none. Body:
 *
 * <pre>topic_len u16 | topic | partition u32 | n u32 | n x (key_len u32 | value_len u32 | key | value)</pre>
 *
 * A length of 0xffffffff is a null. Answered by {@link ProduceAck}.
 *
 * @param batch the records in the storage format, not compressed. Their timestamps and headers do not travel: the broker
 *     stamps them with its clock; {@link ProduceBatch} keeps both
 */
public record Produce(TopicPartition partition, RecordBatch batch) implements Request {
  public Produce {
    Limits.checkTopic(partition.topic());
    if (batch.isCompressed() || batch.recordCount() < 1) {
      throw new IllegalArgumentException("PRODUCE carries at least one record, uncompressed: " + batch);
    }
  }

  static Produce decode(WireReader in, long nowMs) throws ProtocolException {
    int from = in.position();
    TopicPartition partition = in.topicPartition();
    int position = in.position();
    return new Produce(partition, NativeRecords.toBatch(in.array(), from, position, position + in.remaining(), nowMs, Allowance.UNLIMITED));
  }

  @Override
  public int type() {
    return MessageType.PRODUCE;
  }

  @Override
  public void encode(WireWriter out) {
    out.topicPartition(partition).int32(batch.recordCount());
    try (RecordCursor cursor = batch.cursor()) {
      while (cursor.next()) {
        out.int32(cursor.keySize()).int32(cursor.valueSize());
        out.bytes(cursor.array(), cursor.keyPosition(), Math.max(0, cursor.keySize()));
        out.bytes(cursor.array(), cursor.valuePosition(), Math.max(0, cursor.valueSize()));
      }
    } catch (InvalidBatchException e) {
      throw new IllegalStateException("a batch that was never validated: " + batch, e);
    }
  }
}
