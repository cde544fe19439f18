package kaka.client;

import java.util.UUID;

/**
 * A topic, as the broker lists it.
 *
 * @param id different for a topic that was deleted and created again
 * @param partitions how many, numbered from 0
 */
public record TopicInfo(String name, UUID id, int partitions) {}
