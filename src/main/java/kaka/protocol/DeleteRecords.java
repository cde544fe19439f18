package kaka.protocol;

import kaka.record.TopicPartition;

/**
 * DELETE_RECORDS, type 0x0d: the oldest records of a partition, up to an offset. Body:
 *
 * <pre>topic_len u16 | topic | partition u32 | before_offset u64</pre>
 *
 * Answered by {@link DeleteRecordsReply}.
 *
 * @param beforeOffset the first record that stays, or {@link #ALL}
 */
public record DeleteRecords(TopicPartition partition, long beforeOffset) implements Request {
  /** The high watermark, whatever it is (KIP-107): every record that can be read goes. */
  public static final long ALL = -1;

  public DeleteRecords {
    Limits.checkTopic(partition.topic());
    if (beforeOffset < ALL) {
      throw new IllegalArgumentException("beforeOffset " + beforeOffset);
    }
  }

  static DeleteRecords decode(WireReader in) throws ProtocolException {
    TopicPartition partition = in.topicPartition();
    long beforeOffset = in.int64(ALL, "before_offset");
    in.end();
    return new DeleteRecords(partition, beforeOffset);
  }

  @Override
  public int type() {
    return MessageType.DELETE_RECORDS;
  }

  @Override
  public void encode(WireWriter out) {
    out.topicPartition(partition).int64(beforeOffset);
  }
}
