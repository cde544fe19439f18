package kaka.protocol;

import kaka.record.TopicPartition;

/**
 * FETCH, type 0x02: the records of one partition from an offset on. Body, the tail all or nothing:
 *
 * <pre>topic_len u16 | topic | partition u32 | offset u64 | max_bytes u32 [ | max_wait_ms u32 | min_bytes u32 ]</pre>
 *
 * Answered by {@link Records}.
 *
 * @param fetchOffset first offset wanted, at least 0; one below the oldest record kept is answered from that one
 * @param maxBytes bound on the whole answer's frame, at least 1; one record is returned even if it is larger (KIP-74). On
 *     the wire 0 stands for {@link #DEFAULT_MAX_BYTES} and 2^31 or more for 2^31 - 1
 * @param maxWaitMs how long the broker may hold the answer back while there is no record, or fewer than {@code minBytes}
 *     of them, in milliseconds; 0, also when the tail is left out, answers at once
 * @param minBytes enough bytes, as stored, to answer before the wait is over
 */
public record Fetch(TopicPartition partition, long fetchOffset, int maxBytes, int maxWaitMs, int minBytes) implements Request {
  public static final int DEFAULT_MAX_BYTES = 64 * 1024;

  public Fetch {
    Limits.checkTopic(partition.topic());
    if (fetchOffset < 0) {
      throw new IllegalArgumentException("fetchOffset " + fetchOffset);
    }
    if (maxBytes < 1) {
      throw new IllegalArgumentException("maxBytes " + maxBytes);
    }
    if (maxWaitMs < 0 || minBytes < 0) {
      throw new IllegalArgumentException("maxWaitMs " + maxWaitMs + ", minBytes " + minBytes);
    }
  }

  static Fetch decode(WireReader in) throws ProtocolException {
    TopicPartition partition = in.topicPartition();
    long fetchOffset = in.uint63("offset");
    int maxBytes = in.limit32("max_bytes");
    boolean hasTail = in.remaining() > 0;
    int maxWaitMs = hasTail ? in.limit32("max_wait_ms") : 0;
    int minBytes = hasTail ? in.limit32("min_bytes") : 0;
    in.end();
    return new Fetch(partition, fetchOffset, maxBytes == 0 ? DEFAULT_MAX_BYTES : maxBytes, maxWaitMs, minBytes);
  }

  @Override
  public int type() {
    return MessageType.FETCH;
  }

  @Override
  public void encode(WireWriter out) {
    out.topicPartition(partition).int64(fetchOffset).int32(maxBytes);
    if (maxWaitMs > 0 || minBytes > 0) {
      out.int32(maxWaitMs).int32(minBytes);
    }
  }
}
