package kaka.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import kaka.protocol.Limits;
import kaka.record.Header;
import kaka.record.TopicPartition;

/**
 * One record to send. Its arrays belong to the caller again as soon as {@code send} has returned.
 *
 * @param topic where to; a name of at most 249 bytes
 * @param partition the partition, or empty: then the key chooses it, and records without key fill one partition's batch after
 *     the other
 * @param timestampMs milliseconds since 1970, at least 0, or empty: the time of {@code send}
 * @param key or null
 * @param value or null: in a compacted topic the mark that deletes its key
 * @param headers may be empty
 */
public record ProducerRecord(
    String topic, OptionalInt partition, OptionalLong timestampMs, byte[] key, byte[] value, List<Header> headers) {
  public ProducerRecord {
    checkTopic(topic);
    headers = List.copyOf(headers);
    headers.forEach(header -> Objects.requireNonNull(header.key(), "header key"));
    if (partition.isPresent() && partition.getAsInt() < 0) {
      throw new IllegalArgumentException("partition " + partition.getAsInt());
    }
    if (timestampMs.isPresent() && timestampMs.getAsLong() < 0) {
      throw new IllegalArgumentException("timestampMs " + timestampMs.getAsLong());
    }
  }

  /** What no request could name is refused where it is given, since later nobody could be told. */
  static void checkTopic(String topic) {
    if (topic.getBytes(StandardCharsets.UTF_8).length > Limits.TOPIC_BYTES) {
      throw new IllegalArgumentException("topic name of more than " + Limits.TOPIC_BYTES + " bytes");
    }
  }

  public static ProducerRecord of(String topic, byte[] value) {
    return of(topic, null, value);
  }

  public static ProducerRecord of(String topic, byte[] key, byte[] value) {
    return new ProducerRecord(topic, OptionalInt.empty(), OptionalLong.empty(), key, value, List.of());
  }

  public static ProducerRecord of(TopicPartition to, byte[] key, byte[] value) {
    return new ProducerRecord(to.topic(), OptionalInt.of(to.partition()), OptionalLong.empty(), key, value, List.of());
  }

  public ProducerRecord withTimestamp(long timestampMs) {
    return new ProducerRecord(topic, partition, OptionalLong.of(timestampMs), key, value, headers);
  }

  public ProducerRecord withHeaders(List<Header> headers) {
    return new ProducerRecord(topic, partition, timestampMs, key, value, headers);
  }
}
