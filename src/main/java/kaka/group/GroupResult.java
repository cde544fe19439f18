package kaka.group;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the coordinator answers to a {@link GroupRequest}. */
public sealed interface GroupResult {
  /** Nothing was done, or nothing is known to have been: {@link GroupError#STORAGE}. */
  record Refused(GroupError reason, String detail) implements GroupResult {
    Refused(GroupError reason) {
      this(reason, reason.text());
    }
  }

  /** What a leader is told of a member, itself included: the metadata is that of the chosen protocol. */
  record JoinedMember(String memberId, Optional<String> instanceId, Opaque metadata) {}

  /**
   * The member is part of the generation.
   *
   * @param skipAssignment the leader must not assign: everybody has what they had
   * @param members for the leader, everybody; otherwise empty
   * @param assignment for members that the coordinator assigns to; others ask by {@link GroupRequest.Sync}
   */
  record Joined(
      String memberId,
      int generation,
      String protocolType,
      String protocol,
      String leaderId,
      boolean skipAssignment,
      List<JoinedMember> members,
      Opaque assignment)
      implements GroupResult {
    public Joined {
      members = List.copyOf(members);
    }
  }

  /** Join again, under this id (KIP-394). */
  record MemberIdRequired(String memberId) implements GroupResult {}

  record Synced(String protocolType, String protocol, Opaque assignment) implements GroupResult {}

  enum Alive implements GroupResult {
    INSTANCE
  }

  /** @param error empty: it has left */
  record LeftMember(String memberId, Optional<String> instanceId, Optional<GroupError> error) {}

  record Left(List<LeftMember> members) implements GroupResult {
    public Left {
      members = List.copyOf(members);
    }
  }

  /** Every offset without an error is on disk; in the order of the request. */
  record Committed(List<Optional<GroupError>> errors) implements GroupResult {
    public Committed {
      errors = List.copyOf(errors);
    }
  }

  /** Now or before. */
  enum TransactionEnded implements GroupResult {
    INSTANCE
  }

  /** By name, in the order of the request. */
  record GroupsDeleted(Map<String, Optional<GroupError>> errors) implements GroupResult {
    public GroupsDeleted {
      errors = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(errors));
    }
  }

  /** In the order of the request. */
  record OffsetsDeleted(List<Optional<GroupError>> errors) implements GroupResult {
    public OffsetsDeleted {
      errors = List.copyOf(errors);
    }
  }

  /** @param protocolType empty for a group that only ever committed */
  record Listing(String group, String protocolType, GroupPhase phase, GroupType type, int memberCount) {}

  record GroupsListed(List<Listing> groups) implements GroupResult {
    public GroupsListed {
      groups = List.copyOf(groups);
    }
  }

  /** @param assignment empty before the member has one; {@code metadata} that of the chosen protocol, if one is */
  record MemberDescription(
      String memberId,
      Optional<String> instanceId,
      String clientId,
      String clientHost,
      Opaque metadata,
      Opaque assignment) {}

  /** @param phase DEAD where there is no such group */
  record Description(
      String group,
      GroupPhase phase,
      int generation,
      String protocolType,
      String protocol,
      List<MemberDescription> members,
      GroupType type) {
    public Description {
      members = List.copyOf(members);
    }
  }

  /**
   * @param epoch of the member from now on; that of the request for one that has left
   * @param heartbeatIntervalMs when it is to say again that it is alive
   * @param assignment what it is to have, as soon as it can; empty: as it was told before
   */
  record Beaten(String memberId, int epoch, int heartbeatIntervalMs, Optional<PartitionSet> assignment) implements GroupResult {}

  record EpochMemberDescription(EpochMember member, PartitionSet target) {}

  /** @param phase DEAD where there is no such group, or it is of the other type */
  record EpochDescription(
      String group, GroupPhase phase, int epoch, String assignor, List<EpochMemberDescription> members) {
    public EpochDescription {
      members = List.copyOf(members);
    }

    static EpochDescription none(String group) {
      return new EpochDescription(group, GroupPhase.DEAD, 0, "", List.of());
    }
  }

  /**
   * In the order of the request.
   *
   * @param topics to name those that members have
   */
  record EpochGroupsDescribed(List<EpochDescription> groups, Topics topics) implements GroupResult {
    public EpochGroupsDescribed {
      groups = List.copyOf(groups);
    }
  }

  /** In the order of the request. */
  record GroupsDescribed(List<Description> groups) implements GroupResult {
    public GroupsDescribed {
      groups = List.copyOf(groups);
    }
  }
}
