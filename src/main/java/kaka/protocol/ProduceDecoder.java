package kaka.protocol;

import java.util.Arrays;
import kaka.record.Allowance;
import kaka.record.BatchValidation;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/**
 * The broker's fast path for PRODUCE and PRODUCE_BATCH: first {@link #start}, which finds topic and partition and makes no
 * object, so that a cached route can be looked up by the topic's bytes; then {@link #batch}. One per connection, used again
 * for each request.
 */
public final class ProduceDecoder {
  private static final byte[] NOTHING = {};

  private int type;
  private byte[] array = NOTHING;
  private int from;
  private int to;
  private int topicSize;
  private int partition;

  /**
   * Points this at the body {@code array[from, to)} of a PRODUCE or PRODUCE_BATCH; the bytes are kept until {@link #end}.
   *
   * @param type {@link MessageType#PRODUCE} or {@link MessageType#PRODUCE_BATCH}
   * @throws ProtocolException if topic and partition are not there or not legal; whether the topic is UTF-8 is looked at
   *     in {@link #topic}
   */
  public void start(int type, byte[] array, int from, int to) throws ProtocolException {
    if (type != MessageType.PRODUCE && type != MessageType.PRODUCE_BATCH) {
      throw new IllegalArgumentException("type " + type);
    }
    int size = to - from;
    int topicSize = size < 2 ? 0 : BigEndian.uint16(array, from);
    if (size < 2 || topicSize > Limits.TOPIC_BYTES || size < 2 + topicSize + 4) {
      throw noTopicPartition(array, from, to);
    }
    int partition = BigEndian.int32(array, from + 2 + topicSize);
    if (partition < 0) {
      throw noTopicPartition(array, from, to);
    }
    this.type = type;
    this.array = array;
    this.from = from;
    this.to = to;
    this.topicSize = topicSize;
    this.partition = partition;
  }

  /** Points this at nothing: the bytes of the last request are kept no longer. */
  public void end() {
    array = NOTHING;
    from = 0;
    to = 0;
    topicSize = 0;
  }

  /** The same checks again, slowly, for the words. */
  private static ProtocolException noTopicPartition(byte[] array, int from, int to) {
    WireReader in = new WireReader(array, from, to);
    try {
      in.topicPartition();
    } catch (ProtocolException e) {
      return e;
    }
    throw new IllegalStateException("topic and partition are there");
  }

  /** The array that {@link #topicFrom} points into. */
  public byte[] array() {
    return array;
  }

  /** Where the topic's UTF-8 bytes start in {@link #array}. */
  public int topicFrom() {
    return from + 2;
  }

  /** Bytes of the topic's name, 0 to 249. */
  public int topicSize() {
    return topicSize;
  }

  /** Whether the topic's name is just these bytes. */
  public boolean isTopic(byte[] utf8) {
    return Arrays.equals(utf8, 0, utf8.length, array, from + 2, from + 2 + topicSize);
  }

  /** The topic's name as a new string. */
  public String topic() throws ProtocolException {
    return WireReader.utf8(array, from + 2, topicSize, 0, "topic");
  }

  /** At least 0. */
  public int partition() {
    return partition;
  }

  /**
   * Whether {@link #batch} takes next to no time, whatever the bytes say: at most {@code maxBytes} are looked at, and nothing is
   * decompressed.
   */
  public boolean isLight(int maxBytes) {
    if (to - from > maxBytes) {
      return false;
    }
    return type == MessageType.PRODUCE || !RecordBatch.claimsCompression(array, from + 2 + topicSize + 4, to);
  }

  /** Another one that points at the same request, for another thread. */
  public ProduceDecoder copy() {
    ProduceDecoder copy = new ProduceDecoder();
    copy.type = type;
    copy.array = array;
    copy.from = from;
    copy.to = to;
    copy.topicSize = topicSize;
    copy.partition = partition;
    return copy;
  }

  /**
   * The records as a batch that may be kept: in bytes of its own, or in the array, if that has little else ({@link
   * RecordBatch#detached}) and then must not change. Can be called more than once.
   *
   * @param nowMs the broker's clock, in milliseconds since 1970: a PRODUCE's records get it, a PRODUCE_BATCH's have their own
   * @param needsKeys whether every record needs a key, because the topic is compacted
   * @param allowance asked for what it takes to decompress a batch
   * @param copies asked for the batch's size if it is in bytes of its own, which is the caller's to give back
   * @throws kaka.record.NoAllowanceException if there is no room for either
   */
  public RecordBatch batch(long nowMs, boolean needsKeys, Allowance allowance, Allowance copies) throws ProtocolException {
    int position = from + 2 + topicSize + 4;
    if (type == MessageType.PRODUCE_BATCH) {
      RecordBatch inPlace = ProducedBatch.check(array, from, position, to, new BatchValidation(false, needsKeys), allowance);
      copies.reserve(inPlace.isDetached() ? 0 : inPlace.sizeBytes());
      return inPlace.detached();
    }
    RecordBatch batch = NativeRecords.toBatch(array, from, position, to, nowMs, copies);
    if (needsKeys) {
      try {
        BatchValidation.requireKeys(batch);
      } catch (InvalidBatchException e) {
        copies.release(batch.sizeBytes());
        throw ProtocolException.wellFormed("key_len", position - from, e.getMessage());
      }
    }
    return batch;
  }
}
