package kaka.protocol;

import kaka.record.TopicPartition;

/**
 * OFFSET_FOR_TIME, type 0x0a: where to start reading to see everything from a time on. Body:
 *
 * <pre>topic_len u16 | topic | partition u32 | timestamp_ms i64</pre>
 *
 * Answered by {@link OffsetForTimeReply}.
 *
 * @param timestampMs milliseconds since 1970, or {@link #LATEST} or {@link #EARLIEST}, numbered as in Kafka's ListOffsets
 */
public record OffsetForTime(TopicPartition partition, long timestampMs) implements Request {
  /** Asks for the high watermark. */
  public static final long LATEST = -1;

  /** Asks for the log start offset. */
  public static final long EARLIEST = -2;

  public OffsetForTime {
    Limits.checkTopic(partition.topic());
    if (timestampMs < EARLIEST) {
      throw new IllegalArgumentException("timestampMs " + timestampMs);
    }
  }

  static OffsetForTime decode(WireReader in) throws ProtocolException {
    TopicPartition partition = in.topicPartition();
    long timestampMs = in.int64(EARLIEST, "timestamp_ms");
    in.end();
    return new OffsetForTime(partition, timestampMs);
  }

  @Override
  public int type() {
    return MessageType.OFFSET_FOR_TIME;
  }

  @Override
  public void encode(WireWriter out) {
    out.topicPartition(partition).int64(timestampMs);
  }
}
