package kaka.group;

import java.util.OptionalLong;
import java.util.UUID;

/** A durable change, one record of the log of offsets; see {@link GroupEventCodec} for its bytes. */
public sealed interface GroupEvent {
  record OffsetCommitted(String group, TopicIdPartition partition, StoredOffset stored) implements GroupEvent {}

  record OffsetRemoved(String group, TopicIdPartition partition) implements GroupEvent {}

  /**
   * A generation begins, or the group's last member has gone: written before anybody is told of the generation, so that none is
   * given out twice.
   *
   * @param emptySinceMs when the last member went, in milliseconds since 1970; empty while there are members
   */
  record GroupChanged(String group, int generation, String protocolType, OptionalLong emptySinceMs) implements GroupEvent {}

  /** The group is no more, nor is any offset of it. */
  record GroupRemoved(String group) implements GroupEvent {}

  /** The topic is no more, nor is any group's offset in it. */
  record TopicRemoved(UUID topicId) implements GroupEvent {}
}
