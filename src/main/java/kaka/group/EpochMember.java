package kaka.group;

import java.util.List;
import java.util.Optional;

/**
 * One member of an {@link EpochGroup}, as it stands on disk. Immutable.
 *
 * @param id chosen by the client, or by the coordinator for one of the protocol's version 0 (KIP-1082)
 * @param instanceId makes the member static (KIP-345)
 * @param rebalanceTimeoutMs how long it may take to give up partitions
 * @param epoch of the group that it has reached: what it is told, and has to bring with each request; {@link #AWAY}
 * @param previousEpoch the one before: that of a request whose answer was lost
 * @param assigned what it has been told to have, or is to be told next
 * @param revoking what it has to give up, and has not said that it has
 * @param owned of what it was given, that which it last said to have
 */
public record EpochMember(
    String id,
    Optional<String> instanceId,
    Optional<String> rackId,
    String clientId,
    String clientHost,
    int rebalanceTimeoutMs,
    Subscription subscription,
    int epoch,
    int previousEpoch,
    PartitionSet assigned,
    PartitionSet revoking,
    PartitionSet owned) {
  /** The epoch of a static member that has gone and is expected back: it owns nothing, and is to have it again. */
  static final int AWAY = -2;

  /** What a member takes besides its texts and partitions, about. */
  private static final int OVERHEAD_BYTES = 400;

  private static final int BYTES_PER_NAME = 60;

  /**
   * What it wants to read.
   *
   * @param pattern topics whose whole name matches it are wanted too; RE2's syntax
   * @param assignor the name of the one that the member prefers
   */
  public record Subscription(List<String> topics, Optional<String> pattern, Optional<String> assignor) {
    static final Subscription NOTHING = new Subscription(List.of(), Optional.empty(), Optional.empty());

    public Subscription {
      topics = topics.stream().distinct().sorted().toList();
    }

    /** What a request does not say stays. */
    Subscription updated(GroupRequest.EpochHeartbeat request) {
      return new Subscription(
          request.topics().orElse(topics),
          request.pattern().isPresent() ? request.pattern().filter(each -> !each.isEmpty()) : pattern,
          request.assignor().isPresent() ? request.assignor() : assignor);
    }

    long sizeBytes() {
      long bytes = 2L * pattern.map(String::length).orElse(0) + 2L * assignor.map(String::length).orElse(0);
      for (String topic : topics) {
        bytes += BYTES_PER_NAME + 2L * topic.length();
      }
      return bytes;
    }
  }

  /** One that is new: of epoch 0, with nothing. */
  static EpochMember joining(GroupRequest.EpochHeartbeat request) {
    return new EpochMember(
            request.memberId(),
            request.instanceId(),
            Optional.empty(),
            "",
            "",
            0,
            Subscription.NOTHING,
            0,
            0,
            PartitionSet.NONE,
            PartitionSet.NONE,
            PartitionSet.NONE)
        .updated(request);
  }

  /** With what the request says of it. Of the partitions that it says it has, no more is kept than it was given. */
  EpochMember updated(GroupRequest.EpochHeartbeat request) {
    return new EpochMember(
        id,
        instanceId,
        request.rackId().isPresent() ? request.rackId() : rackId,
        request.clientId(),
        request.clientHost(),
        request.rebalanceTimeoutMs().orElse(rebalanceTimeoutMs),
        subscription.updated(request),
        epoch,
        previousEpoch,
        assigned,
        revoking,
        request.owned().map(now -> now.and(assigned.plus(revoking))).orElse(owned));
  }

  /** The same share, of another client that has come under the same instance's name. */
  EpochMember takenOverBy(String newId) {
    return new EpochMember(
        newId, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, subscription, 0, 0, assigned, PartitionSet.NONE, PartitionSet.NONE);
  }

  /** A static one that has gone: it is to come back. */
  EpochMember away() {
    return at(AWAY, assigned, PartitionSet.NONE).owning(PartitionSet.NONE);
  }

  boolean isAway() {
    return epoch == AWAY;
  }

  /** @param nowEpoch if it is another, the one it has is the previous one from now on */
  EpochMember at(int nowEpoch, PartitionSet nowAssigned, PartitionSet nowRevoking) {
    return new EpochMember(
        id,
        instanceId,
        rackId,
        clientId,
        clientHost,
        rebalanceTimeoutMs,
        subscription,
        nowEpoch,
        nowEpoch == epoch ? previousEpoch : Math.max(0, epoch),
        nowAssigned,
        nowRevoking,
        owned);
  }

  private EpochMember owning(PartitionSet nowOwned) {
    return new EpochMember(
        id, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, subscription, epoch, previousEpoch, assigned, revoking, nowOwned);
  }

  /** In memory, about. */
  long sizeBytes() {
    long bytes = OVERHEAD_BYTES + 2L * (id.length() + clientId.length() + clientHost.length());
    bytes += 2L * (instanceId.map(String::length).orElse(0) + rackId.map(String::length).orElse(0));
    return bytes + subscription.sizeBytes() + assigned.sizeBytes() + revoking.sizeBytes() + owned.sizeBytes();
  }
}
