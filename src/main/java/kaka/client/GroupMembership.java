package kaka.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import kaka.client.KakaException.Reason;
import kaka.protocol.ErrorCode;
import kaka.protocol.GroupCommit;
import kaka.protocol.GroupCommitReply;
import kaka.protocol.GroupHeartbeat;
import kaka.protocol.GroupHeartbeatReply;
import kaka.protocol.JoinGroup;
import kaka.protocol.JoinGroupReply;
import kaka.protocol.LeaveGroup;
import kaka.protocol.LeaveGroupReply;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/**
 * One member of a group, over a connection of its own: a join waits there for the other members. A thread of its own says that
 * the member is alive, however long whoever consumes takes; it also hears when the member has to join again.
 */
final class GroupMembership {
  /** Of the session timeout: two heartbeats can be lost. */
  private static final int HEARTBEATS_PER_SESSION = 3;

  private final SelectorLoop loop;
  private final RequestLink link;
  private final RequestLink otherLink;
  private final String clientId;
  private final GroupConsumerConfig config;
  private final Runnable onMustJoin;
  private final Thread heartbeats;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private String memberId = "";
  private int generation;
  private boolean joined;
  private boolean mustJoin = true;
  private boolean closed;
  private KakaException fence;
  private CompletableFuture<JoinGroupReply> joining;

  /**
   * @param otherLink for leaving while a join waits on the member's own connection
   * @param onMustJoin called, from any thread, when {@link #mustJoin} has become true
   */
  GroupMembership(
      SelectorLoop loop, ClientConfig clientConfig, RequestLink otherLink, GroupConsumerConfig config, Runnable onMustJoin) {
    this.loop = loop;
    this.link = new RequestLink(loop, clientConfig);
    this.otherLink = otherLink;
    this.clientId = clientConfig.clientId();
    this.config = config;
    this.onMustJoin = onMustJoin;
    this.heartbeats = new Thread(this::beat, "kaka-group-" + config.group());
    heartbeats.setDaemon(true);
    heartbeats.start();
  }

  /** Whether the group has begun a generation that this member is not part of, or no longer takes it for a member. */
  boolean mustJoin() {
    lock.lock();
    try {
      return mustJoin;
    } finally {
      lock.unlock();
    }
  }

  /** Whether what {@code failure} says can be cured by joining again. */
  static boolean isCuredByJoining(KakaException failure) {
    return failure.is(ErrorCode.UNKNOWN_MEMBER)
        || failure.is(ErrorCode.ILLEGAL_GENERATION)
        || failure.is(ErrorCode.REBALANCE_IN_PROGRESS);
  }

  /**
   * Joins the next generation; waits until it is complete.
   *
   * @return the partitions that are this member's
   */
  List<TopicPartition> join() {
    while (true) {
      CompletableFuture<JoinGroupReply> future = ask();
      try {
        return joined(KakaException.await(future));
      } catch (KakaException e) {
        told(e);
        if (!isCuredByJoining(e)) {
          throw e;
        }
      }
    }
  }

  private CompletableFuture<JoinGroupReply> ask() {
    lock.lock();
    try {
      if (fence != null) {
        throw fence;
      }
      if (closed) {
        throw new KakaException(Reason.CLOSED, "the consumer is closed");
      }
      joined = false;
      JoinGroup request =
          new JoinGroup(
              config.group(),
              memberId,
              config.instanceId(),
              clientId,
              (int) config.sessionTimeout().toMillis(),
              (int) config.rebalanceTimeout().toMillis(),
              config.strategies(),
              config.topics());
      joining = link.ask(request, JoinGroupReply.class, config.rebalanceTimeout());
      return joining;
    } finally {
      lock.unlock();
    }
  }

  private List<TopicPartition> joined(JoinGroupReply reply) {
    lock.lock();
    try {
      memberId = reply.memberId();
      generation = reply.generation();
      joined = true;
      mustJoin = false;
    } finally {
      lock.unlock();
    }
    List<TopicPartition> partitions = new ArrayList<>();
    reply.assignment().forEach(
        topic -> topic.partitions().forEach(partition -> partitions.add(new TopicPartition(topic.topic(), partition))));
    return partitions;
  }

  /**
   * Commits, durably, as a member of the generation that was joined last.
   *
   * @return false if that is over: nothing was committed, and others may have the partitions
   * @throws KakaException whatever else went wrong; nothing, or some of it, was committed
   */
  boolean commit(Map<TopicPartition, Long> offsets) {
    List<GroupCommit.Entry> entries = new ArrayList<>();
    offsets.forEach((partition, offset) -> entries.add(new GroupCommit.Entry(partition, offset, "")));
    try {
      GroupCommit request;
      lock.lock();
      try {
        request = new GroupCommit(config.group(), OptionalInt.of(generation), memberId, config.instanceId(), entries);
      } finally {
        lock.unlock();
      }
      GroupCommitReply reply = KakaException.await(link.ask(request, GroupCommitReply.class, Duration.ZERO));
      for (int i = 0; i < entries.size(); i++) {
        int error = reply.errors().get(i);
        boolean isGone = error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(); // deleted, and its offsets with it
        if (error != 0 && !isGone) {
          throw KakaException.refused(error, "offset of " + entries.get(i).partition() + " not committed");
        }
      }
      return true;
    } catch (KakaException e) {
      told(e);
      if (isCuredByJoining(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Takes what the broker said of this member. */
  private void told(KakaException e) {
    boolean isNews = false;
    lock.lock();
    try {
      if (e.is(ErrorCode.FENCED_INSTANCE)) {
        fence = e;
      } else if (isCuredByJoining(e)) {
        if (e.is(ErrorCode.UNKNOWN_MEMBER)) {
          memberId = "";
          joined = false;
        }
      } else {
        return;
      }
      isNews = !mustJoin;
      mustJoin = true;
    } finally {
      lock.unlock();
    }
    if (isNews) {
      onMustJoin.run();
    }
  }

  private void beat() {
    long intervalNs = Math.max(1_000_000, config.sessionTimeout().toNanos() / HEARTBEATS_PER_SESSION);
    while (pause(intervalNs)) {
      GroupHeartbeat heartbeat;
      lock.lock();
      try {
        if (!joined) { // a join says as much
          continue;
        }
        heartbeat = new GroupHeartbeat(config.group(), generation, memberId, config.instanceId());
      } finally {
        lock.unlock();
      }
      try {
        KakaException.await(link.ask(heartbeat, GroupHeartbeatReply.class, Duration.ZERO));
      } catch (KakaException e) {
        if (isOf(heartbeat)) {
          told(e);
        }
      }
    }
  }

  /** Whether the member has not joined again since. */
  private boolean isOf(GroupHeartbeat heartbeat) {
    lock.lock();
    try {
      return joined && generation == heartbeat.generation() && memberId.equals(heartbeat.memberId());
    } finally {
      lock.unlock();
    }
  }

  /** @return false if it is time to end */
  private boolean pause(long ns) {
    lock.lock();
    try {
      long rest = ns;
      while (!closed && rest > 0) {
        rest = changed.awaitNanos(rest);
      }
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Whoever waits in {@link #join} gets a failure, now and later. */
  void stopJoining() {
    CompletableFuture<JoinGroupReply> waiting;
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      waiting = joining;
    } finally {
      lock.unlock();
    }
    if (waiting != null) {
      waiting.completeExceptionally(new KakaException(Reason.CLOSED, "the consumer is closed"));
    }
  }

  /** Leaves the group, so that others get its partitions at once; waits for that no longer than {@code timeout}. */
  void leave(Duration timeout) {
    stopJoining();
    String id;
    lock.lock();
    try {
      id = memberId;
    } finally {
      lock.unlock();
    }
    try {
      if (!id.isEmpty()) {
        otherLink
            .ask(new LeaveGroup(config.group(), id, config.instanceId()), LeaveGroupReply.class, Duration.ZERO)
            .handle((left, failure) -> null) // else its session ends by itself
            .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      // as said: its session ends by itself
    }
    try {
      loop.execute(() -> link.close(new KakaException(Reason.CLOSED, "the consumer is closed")));
    } catch (RejectedExecutionException e) {
      // the client was closed before, and the connection with it
    }
  }
}
