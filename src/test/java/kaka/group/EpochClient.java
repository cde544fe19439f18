package kaka.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/**
 * A member as Kafka's client is one: one heartbeat at a time, everything in it after a failure, what it has only when that has changed;
 * it begins to give up and take what it was told later, and is through with that later still, whatever it is told meanwhile; fenced, it gives up all and joins again. A member that has not been heard
 * for a session, or was too slow in giving up, takes itself for none any more.
 */
final class EpochClient {
  private static final int REBALANCE_MS = 3 * Groups.SESSION_MS;

  private final EpochWorld world;
  private final String id;
  private final String assignor;
  private final String instance;
  private final List<String> topics;
  private int epoch;
  private int lastEpoch;
  private PartitionSet owned = PartitionSet.NONE;
  private PartitionSet said = PartitionSet.NONE;
  private PartitionSet told = PartitionSet.NONE;
  private Optional<PartitionSet> taking = Optional.empty();
  private boolean isFull = true;
  private boolean isWaiting;
  private long call;
  private long heardMs;
  private long askedMs;
  private long inSyncMs;

  /** @param instance empty: it is not static */
  EpochClient(EpochWorld world, String id, String assignor, String instance, String... topics) {
    this.world = world;
    this.id = id;
    this.assignor = assignor;
    this.instance = instance;
    this.topics = List.of(topics);
    this.heardMs = world.nowMs();
    this.inSyncMs = heardMs;
  }

  String id() {
    return id;
  }

  String instance() {
    return instance;
  }

  private GroupRequest.EpochHeartbeat request(int asEpoch) {
    boolean isAll = isFull || asEpoch == EpochGroup.JOINING;
    boolean isOwnedSaid = isAll || !owned.equals(said);
    return new GroupRequest.EpochHeartbeat(
        Groups.GROUP,
        id,
        asEpoch,
        Optional.of(instance).filter(name -> !name.isEmpty()),
        Optional.empty(),
        "client",
        "/127.0.0.1",
        isAll ? OptionalInt.of(REBALANCE_MS) : OptionalInt.empty(),
        isAll ? Optional.of(topics) : Optional.empty(),
        Optional.empty(),
        isAll ? Optional.of(assignor) : Optional.empty(),
        isOwnedSaid ? Optional.of(owned) : Optional.empty());
  }

  void heartbeat() {
    if (isWaiting) {
      return;
    }
    isWaiting = true;
    askedMs = world.nowMs();
    long own = ++call;
    GroupRequest.EpochHeartbeat request = request(epoch);
    said = owned;
    isFull = false;
    world.ask(
        request,
        answer -> {
          if (own == call) {
            isWaiting = false;
            onAnswer(answer);
          }
        });
  }

  private void onAnswer(Optional<GroupResult> answer) {
    if (answer.isPresent() && answer.get() instanceof GroupResult.Beaten beaten) {
      assertTrue(beaten.epoch() >= lastEpoch, "epoch " + beaten.epoch() + " of " + id + " after " + lastEpoch);
      epoch = beaten.epoch();
      lastEpoch = epoch;
      heardMs = askedMs;
      beaten.assignment().ifPresent(assignment -> told = assignment);
      if (told.equals(owned)) {
        inSyncMs = askedMs;
      }
      return;
    }
    isFull = true;
    if (answer.isPresent() && answer.get() instanceof GroupResult.Refused refused && refused.reason() != GroupError.STORAGE) {
      boolean isFenced = Set.of(GroupError.FENCED_EPOCH, GroupError.UNKNOWN_MEMBER, GroupError.UNRELEASED_INSTANCE).contains(refused.reason());
      assertTrue(isFenced, refused.reason().name());
      giveUpAll();
    }
  }

  private void giveUpAll() {
    owned = PartitionSet.NONE;
    told = PartitionSet.NONE;
    taking = Optional.empty();
    epoch = EpochGroup.JOINING;
    isFull = true;
    heardMs = world.nowMs();
    inSyncMs = heardMs;
  }

  /** The answer that it waits for will not come, though the request may have been understood. */
  void loseConnection() {
    if (isWaiting) {
      call++;
      isWaiting = false;
      isFull = true;
    }
  }

  /** Begins to take and give up what it was told, or is through with that; heartbeats go on meanwhile. */
  void reconcile() {
    if (taking.isPresent()) {
      owned = taking.get();
      taking = Optional.empty();
    } else if (!told.equals(owned)) {
      taking = Optional.of(told);
    }
  }

  void checkTime() {
    boolean isForgotten = world.nowMs() - heardMs >= Groups.SESSION_MS || world.nowMs() - inSyncMs >= REBALANCE_MS;
    if (isForgotten && epoch != EpochGroup.JOINING) {
      loseConnection();
      giveUpAll();
    }
  }

  void leave() {
    leave(instance.isEmpty() ? EpochGroup.LEAVING : EpochMember.AWAY);
  }

  void leaveForGood() {
    leave(EpochGroup.LEAVING);
  }

  private void leave(int how) {
    loseConnection();
    owned = PartitionSet.NONE;
    world.ask(request(how), answer -> {});
  }

  /** What it reads. */
  Set<TopicIdPartition> owns() {
    Set<TopicIdPartition> partitions = new HashSet<>();
    for (UUID topic : owned.topicIds()) {
      for (int partition : owned.of(topic)) {
        partitions.add(new TopicIdPartition(topic, partition));
      }
    }
    return partitions;
  }
}
