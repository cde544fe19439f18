package kaka.client;

import java.util.List;
import kaka.record.Header;
import kaka.record.TopicPartition;

/**
 * One record as it was fetched; its arrays are its own.
 *
 * @param topicPartition where it came from
 * @param offset its number there
 * @param timestampMs milliseconds since 1970
 * @param key or null
 * @param value or null
 * @param headers in the order they were sent
 */
public record ConsumedRecord(
    TopicPartition topicPartition, long offset, long timestampMs, byte[] key, byte[] value, List<Header> headers) {}
