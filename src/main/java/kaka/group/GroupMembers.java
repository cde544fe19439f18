package kaka.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The members of one group, those that were only given an id, and what follows from all of them together. */
final class GroupMembers {
  private final Map<String, Member> members = new LinkedHashMap<>(); // by id, in the order of their coming
  private final Map<String, String> staticIds = new HashMap<>(); // instance to member
  private final Map<String, Long> pendingIds = new LinkedHashMap<>(); // given out, not joined yet: until when

  Collection<Member> all() {
    return members.values();
  }

  /** For a walk during which some go. */
  List<Member> copy() {
    return List.copyOf(members.values());
  }

  /** One that is there. */
  Member get(String id) {
    return members.get(id);
  }

  Optional<Member> find(String id) {
    return Optional.ofNullable(members.get(id));
  }

  boolean contains(String id) {
    return members.containsKey(id);
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  void add(Member member) {
    members.put(member.id(), member);
    member.instanceId().ifPresent(instance -> staticIds.put(instance, member.id()));
  }

  void remove(Member member) {
    members.remove(member.id());
    member.instanceId().ifPresent(instance -> staticIds.remove(instance, member.id()));
  }

  /** Who has this instance's name now. */
  Optional<String> idOf(Optional<String> instanceId) {
    return instanceId.map(staticIds::get);
  }

  // ---------------------------------------------------------------- those without a join

  void addPending(String id, long untilMs) {
    pendingIds.put(id, untilMs);
  }

  boolean isPending(String id) {
    return pendingIds.containsKey(id);
  }

  /** @return whether it was pending */
  boolean removePending(String id) {
    return pendingIds.remove(id) != null;
  }

  boolean hasPending() {
    return !pendingIds.isEmpty();
  }

  /** @return whether the time of any was over */
  boolean expirePending(long nowMs) {
    return pendingIds.values().removeIf(untilMs -> nowMs >= untilMs);
  }

  /** Whether nobody is, or is about to become, a member. */
  boolean isVacant() {
    return members.isEmpty() && pendingIds.isEmpty();
  }

  // ---------------------------------------------------------------- who may do what

  /** Why a request of {@code memberId} is not one of a member's. */
  Optional<GroupError> fence(String memberId, Optional<String> instanceId) {
    Optional<String> current = idOf(instanceId);
    if (current.isPresent() && !current.get().equals(memberId)) {
      return Optional.of(GroupError.FENCED_INSTANCE);
    }
    Member member = members.get(memberId);
    boolean isMember = member != null && (instanceId.isEmpty() || member.instanceId().equals(instanceId));
    return isMember ? Optional.empty() : Optional.of(GroupError.UNKNOWN_MEMBER);
  }

  /** Why {@code join} cannot be let in, whatever the state. */
  Optional<GroupError> problemOf(GroupRequest.Join join, String protocolType, int maxMembers) {
    boolean takesPlace = !contains(join.memberId()) && idOf(join.instanceId()).isEmpty() && !isPending(join.memberId());
    if (!join.memberId().isEmpty() && takesPlace) {
      return Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    if (takesPlace && members.size() + pendingIds.size() >= maxMembers) {
      return Optional.of(GroupError.GROUP_FULL);
    }
    List<Member> others =
        members.values().stream()
            .filter(member -> !member.id().equals(join.memberId()))
            .filter(member -> member.instanceId().isEmpty() || !member.instanceId().equals(join.instanceId()))
            .toList();
    boolean fits =
        others.isEmpty()
            || join.protocolType().equals(protocolType)
                && join.protocols().stream().anyMatch(each -> others.stream().allMatch(member -> member.supports(each.name())));
    return fits ? Optional.empty() : Optional.of(GroupError.INCONSISTENT_PROTOCOL);
  }

  // ---------------------------------------------------------------- all together

  boolean haveAllJoined() {
    return members.values().stream().allMatch(Member::isJoining);
  }

  long longestRebalanceMs() {
    return members.values().stream().mapToLong(member -> member.joined().rebalanceTimeoutMs()).max().orElse(0);
  }

  /** {@code known}, if it has joined; else the first that has. */
  Optional<Member> leader(String known) {
    Member member = members.get(known);
    return member != null && member.isJoining()
        ? Optional.of(member)
        : members.values().stream().filter(Member::isJoining).findFirst();
  }

  /** Of those protocols that all support, the one that most like best; among equals the first member's choice. */
  String chooseProtocol() {
    List<String> candidates =
        members.values().iterator().next().joined().protocols().stream()
            .map(GroupRequest.Protocol::name)
            .filter(each -> members.values().stream().allMatch(member -> member.supports(each)))
            .toList();
    Map<String, Integer> votes = new HashMap<>();
    for (Member member : members.values()) {
      member.joined().protocols().stream()
          .map(GroupRequest.Protocol::name)
          .filter(candidates::contains)
          .findFirst()
          .ifPresent(choice -> votes.merge(choice, 1, Integer::sum));
    }
    String best = "";
    for (String candidate : candidates) {
      if (best.isEmpty() || votes.getOrDefault(candidate, 0) > votes.getOrDefault(best, 0)) {
        best = candidate;
      }
    }
    return best;
  }

  /** The topics that members want; empty if their bytes do not say. */
  Optional<Set<String>> subscribedTopics(String protocol) {
    Set<String> topics = new HashSet<>();
    for (Member member : members.values()) {
      String any = protocol.isEmpty() ? member.joined().protocols().get(0).name() : protocol;
      Optional<List<String>> wanted = member.topics(any);
      if (wanted.isEmpty()) {
        return Optional.empty();
      }
      topics.addAll(wanted.get());
    }
    return Optional.of(topics);
  }

  /** What the leader is told of everybody. */
  List<GroupResult.JoinedMember> everybody(String protocol) {
    List<GroupResult.JoinedMember> everybody = new ArrayList<>();
    members.values().forEach(
        each -> everybody.add(new GroupResult.JoinedMember(each.id(), each.instanceId(), each.metadata(protocol))));
    return everybody;
  }

  List<GroupResult.MemberDescription> describe(String protocol) {
    List<GroupResult.MemberDescription> described = new ArrayList<>();
    for (Member member : members.values()) {
      GroupRequest.Join joined = member.joined();
      described.add(
          new GroupResult.MemberDescription(
              member.id(),
              member.instanceId(),
              joined.clientId(),
              joined.clientHost(),
              member.metadata(protocol),
              member.assignment()));
    }
    return described;
  }

  /** When the first session, or the time of an id that was given out, is over. */
  OptionalLong nextDeadlineMs() {
    long next = Long.MAX_VALUE;
    for (long pendingUntilMs : pendingIds.values()) {
      next = Math.min(next, pendingUntilMs);
    }
    for (Member member : members.values()) {
      next = Math.min(next, member.sessionDeadlineMs().orElse(Long.MAX_VALUE));
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  long sizeBytes() {
    long bytes = 200L * pendingIds.size();
    for (Member member : members.values()) {
      bytes += member.sizeBytes();
    }
    return bytes;
  }
}
