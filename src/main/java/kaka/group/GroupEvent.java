package kaka.group;

import java.util.List;
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
   * @param generation or, of an {@link EpochGroup}, its epoch
   * @param emptySinceMs when the last member went, in milliseconds since 1970; empty while there are members
   */
  record GroupChanged(String group, int generation, String protocolType, OptionalLong emptySinceMs, GroupType type)
      implements GroupEvent {
    GroupChanged(String group, int generation, String protocolType, OptionalLong emptySinceMs) {
      this(group, generation, protocolType, emptySinceMs, GroupType.CLASSIC);
    }
  }

  /** A member of an {@link EpochGroup} is so from now on: written before anybody is told. */
  record MemberChanged(String group, EpochMember member) implements GroupEvent {}

  record MemberRemoved(String group, String memberId) implements GroupEvent {}

  /** The group is no more, nor is any offset or member of it. */
  record GroupRemoved(String group) implements GroupEvent {}

  /** An offset that counts once the producer's transaction is committed. */
  record OffsetPending(long producerId, String group, TopicIdPartition partition, StoredOffset stored)
      implements GroupEvent {}

  /**
   * The producer's transaction has ended: nothing of it is pending any more.
   *
   * @param committed what counts from now on; all of it, so that nothing before this event is needed for it
   */
  record TransactionEnded(long producerId, List<OffsetCommitted> committed) implements GroupEvent {
    public TransactionEnded {
      committed = List.copyOf(committed);
    }
  }

  /** The topic is no more, nor is any group's offset in it. */
  record TopicRemoved(UUID topicId) implements GroupEvent {}
}
