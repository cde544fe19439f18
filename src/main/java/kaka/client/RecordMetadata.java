package kaka.client;

import kaka.record.TopicPartition;

/**
 * Where an acknowledged record stands.
 *
 * @param topicPartition the partition that stored it
 * @param offset its number there
 */
public record RecordMetadata(TopicPartition topicPartition, long offset) {}
