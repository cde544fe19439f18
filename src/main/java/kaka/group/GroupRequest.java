package kaka.group;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** What the coordinator can be asked for, whatever front door it came through; each says which {@link GroupResult} answers it. */
public sealed interface GroupRequest {
  /**
   * A way of assigning partitions that a member offers, with its own bytes for it: for {@code consumer} groups a
   * {@link ConsumerProtocol} subscription.
   */
  record Protocol(String name, Opaque metadata) {}

  /** Who assigns when this member leads its group. */
  enum Assigning {
    /** The member does, by a {@link Sync}: Kafka's clients. */
    BY_MEMBER,
    /** The coordinator does, and a join is answered when the assignment is there: members of the native protocol. */
    BY_COORDINATOR
  }

  /**
   * Makes a member, or lets one join the next generation; answered when that generation is complete. By {@link GroupResult.Joined}
   * or {@link GroupResult.MemberIdRequired}.
   *
   * @param memberId empty the first time
   * @param instanceId makes the member static (KIP-345): it keeps its assignment while it is away, until its session ends
   * @param protocols in order of preference, at least one; for members that the coordinator assigns to, names of {@link Assignor}s
   * @param rebalanceTimeoutMs how long the member may take to join again when others want a new generation
   * @param requiresKnownId a member without id is given one first, and has to ask again (KIP-394)
   * @param canSkipAssignment a static leader that comes back can be told that nothing is to be assigned (KIP-814)
   */
  record Join(
      String group,
      String memberId,
      Optional<String> instanceId,
      String clientId,
      String clientHost,
      String protocolType,
      List<Protocol> protocols,
      int sessionTimeoutMs,
      int rebalanceTimeoutMs,
      boolean requiresKnownId,
      boolean canSkipAssignment,
      Assigning assigning)
      implements GroupRequest {
    public Join {
      protocols = List.copyOf(protocols);
    }

    boolean isNative() {
      return assigning == Assigning.BY_COORDINATOR;
    }
  }

  /** What the leader has assigned to one member. */
  record Assignment(String memberId, Opaque bytes) {}

  /**
   * Asks for the member's assignment, and brings, if it is the leader's, everybody's. Answered by {@link GroupResult.Synced}.
   *
   * @param protocolType checked if present
   * @param protocol checked if present
   */
  record Sync(
      String group,
      int generation,
      String memberId,
      Optional<String> instanceId,
      Optional<String> protocolType,
      Optional<String> protocol,
      List<Assignment> assignments)
      implements GroupRequest {
    public Sync {
      assignments = List.copyOf(assignments);
    }
  }

  /** The member is alive; answered by {@link GroupResult.Alive}. */
  record Heartbeat(String group, int generation, String memberId, Optional<String> instanceId) implements GroupRequest {}

  /** @param memberId empty to remove a static member by its instance alone */
  record Leaving(String memberId, Optional<String> instanceId) {}

  /** Members leave at once, others get their partitions; answered by {@link GroupResult.Left}. */
  record Leave(String group, List<Leaving> members) implements GroupRequest {
    public Leave {
      members = List.copyOf(members);
    }
  }

  record OffsetToCommit(TopicIdPartition partition, long offset, int leaderEpoch, String metadata) {}

  /**
   * Remembers offsets, durably; answered by {@link GroupResult.Committed}.
   *
   * @param generation empty with an empty {@code memberId}: from outside of the group, which must have no members then
   */
  record Commit(
      String group, OptionalInt generation, String memberId, Optional<String> instanceId, List<OffsetToCommit> offsets)
      implements GroupRequest {
    public Commit {
      offsets = List.copyOf(offsets);
    }
  }

  /**
   * As {@code commit}, but the offsets count only once the producer's transaction is committed, and until then readers who want
   * stable offsets wait. From outside of the group it is taken whatever members there are. Answered by
   * {@link GroupResult.Committed}.
   */
  record CommitInTransaction(Commit commit, long producerId, short producerEpoch) implements GroupRequest {}

  /** The producer's transaction has ended: what it has pending counts, or goes. Answered by {@link GroupResult.TransactionEnded}. */
  record EndTransaction(long producerId, boolean isCommit) implements GroupRequest {}

  /** Deletes groups without members, with their offsets; answered by {@link GroupResult.GroupsDeleted}. */
  record DeleteGroups(List<String> groups) implements GroupRequest {
    public DeleteGroups {
      groups = List.copyOf(groups);
    }
  }

  /** Forgets offsets of topics that no member reads; answered by {@link GroupResult.OffsetsDeleted}. */
  record DeleteOffsets(String group, List<NamedPartition> partitions) implements GroupRequest {
    public DeleteOffsets {
      partitions = List.copyOf(partitions);
    }
  }

  /** A partition with its topic's name, by which members subscribe. */
  record NamedPartition(String topic, TopicIdPartition id) {}

  /**
   * Answered by {@link GroupResult.GroupsListed}.
   *
   * @param phases only those; all if empty
   * @param types only those; all if empty
   */
  record ListGroups(Set<GroupPhase> phases, Set<GroupType> types) implements GroupRequest {
    public ListGroups {
      phases = Set.copyOf(phases);
      types = Set.copyOf(types);
    }

    public ListGroups(Set<GroupPhase> phases) {
      this(phases, Set.of());
    }
  }

  /**
   * A member of an {@link EpochGroup} is alive, joins, leaves, or says what it wants and has; answered by {@link GroupResult.Beaten}.
   *
   * @param memberId empty for the coordinator to choose one
   * @param epoch the member's own; 0 to join, -1 to leave, -2 to leave for a while
   * @param rebalanceTimeoutMs how long it may take to give up partitions; empty: as before
   * @param topics it wants; empty: as before
   * @param pattern topics that match it are wanted too; empty: as before; an empty text: none any more
   * @param assignor that it prefers; empty: as before
   * @param owned what it has; empty: as before
   */
  record EpochHeartbeat(
      String group,
      String memberId,
      int epoch,
      Optional<String> instanceId,
      Optional<String> rackId,
      String clientId,
      String clientHost,
      OptionalInt rebalanceTimeoutMs,
      Optional<List<String>> topics,
      Optional<String> pattern,
      Optional<String> assignor,
      Optional<PartitionSet> owned)
      implements GroupRequest {
    /** Whether it says everything, and so is to be told everything. */
    boolean isFull() {
      boolean saysWishes = topics.isPresent() || pattern.isPresent();
      return epoch == EpochGroup.JOINING || rebalanceTimeoutMs.isPresent() && saysWishes && owned.isPresent();
    }

    EpochHeartbeat withMemberId(String id) {
      return new EpochHeartbeat(
          group, id, epoch, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, topics, pattern, assignor, owned);
    }
  }

  /** Answered by {@link GroupResult.EpochGroupsDescribed}. */
  record DescribeEpochGroups(List<String> groups) implements GroupRequest {
    public DescribeEpochGroups {
      groups = List.copyOf(groups);
    }
  }

  /** Answered by {@link GroupResult.GroupsDescribed}. */
  record DescribeGroups(List<String> groups) implements GroupRequest {
    public DescribeGroups {
      groups = List.copyOf(groups);
    }
  }
}
