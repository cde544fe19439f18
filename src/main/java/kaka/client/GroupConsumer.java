package kaka.client;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import kaka.protocol.GroupOffsets;
import kaka.protocol.GroupOffsetsReply;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/**
 * Reads, as a member of a group, the partitions that are its share: from where the group has committed, each record at least
 * once. For one thread; only {@link #wakeup} and {@link #close} are for any.
 *
 * <pre>
 * try (GroupConsumer consumer = client.groupConsumer(GroupConsumerConfig.of("billing", List.of("orders")), listener)) {
 *   while (true) {
 *     consumer.poll(Duration.ofSeconds(1)).forEach(this::process);
 *     consumer.commit(); // what poll has given so far is done
 *   }
 * }
 * </pre>
 *
 * <p>When members come or go, {@code poll} joins the group's next generation: it tells the {@link Listener}, which is the last
 * chance to commit what was done, drops what was fetched, waits for the other members, and goes on with the new share. Between
 * polls, whoever consumes can take as long as they like; only while the group rebalances not longer than the rebalance timeout.
 */
public final class GroupConsumer implements AutoCloseable {
  /** Hears of changes, in the thread that polls. */
  public interface Listener {
    /** The partitions are about to go: {@link GroupConsumer#commit} what was done. */
    void onRevoked();

    /** @param starts the partitions, and where each goes on */
    void onAssigned(Map<TopicPartition, Long> starts);
  }

  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);
  private static final long RETRY_NS = 250_000_000;

  private final KakaClient client;
  private final RequestLink link;
  private final GroupConsumerConfig config;
  private final Listener listener;
  private final GroupMembership membership;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<TopicPartition, Long> done = new HashMap<>(); // given out by poll, and committed up to `committed`
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private Optional<List<TopicPartition>> toStart = Optional.empty(); // assigned, but not begun
  private volatile Optional<Consumer> consumer = Optional.empty();
  private volatile boolean stopping;
  private boolean woken; // guarded by lock

  GroupConsumer(
      KakaClient client,
      SelectorLoop loop,
      ClientConfig clientConfig,
      RequestLink link,
      GroupConsumerConfig config,
      Listener listener) {
    this.client = client;
    this.link = link;
    this.config = config;
    this.listener = listener;
    this.membership = new GroupMembership(loop, clientConfig, link, config, this::signal);
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next records, of one partition. Joins first if it has to, which can take longer than {@code timeout}.
   *
   * @return empty if none came in time, or {@link #wakeup} was called
   * @throws KakaException what went wrong; if it is retriable, the next call goes on
   */
  public List<ConsumedRecord> poll(Duration timeout) {
    try {
      if (membership.mustJoin()) {
        rejoin();
      }
      if (toStart.isPresent()) {
        start(toStart.get());
      }
    } catch (KakaException e) {
      if (e.isRetriable()) {
        await(Optional.empty(), Math.min(RETRY_NS, timeout.toNanos()));
      }
      throw e;
    }
    if (consumer.isEmpty()) { // there are more members than partitions
      await(Optional.empty(), timeout.toNanos());
      return List.of();
    }
    CompletableFuture<List<ConsumedRecord>> future = consumer.get().poll();
    future.whenComplete((records, failure) -> signal());
    await(Optional.of(future), timeout.toNanos());
    if (!future.isDone() && consumer.get().withdraw(future)) {
      return List.of();
    }
    List<ConsumedRecord> records = KakaException.await(future);
    if (!records.isEmpty()) {
      ConsumedRecord last = records.get(records.size() - 1);
      done.put(last.topicPartition(), last.offset() + 1);
    }
    return records;
  }

  /** Until there is something to give, or to do. */
  private void await(Optional<CompletableFuture<List<ConsumedRecord>>> future, long ns) {
    lock.lock();
    try {
      long rest = ns;
      boolean mayJoin = future.isEmpty() && membership.mustJoin(); // a pause before it is tried again
      while (rest > 0 && !woken && !future.map(CompletableFuture::isDone).orElse(false) && (mayJoin || !membership.mustJoin())) {
        rest = changed.awaitNanos(rest);
      }
      woken = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void rejoin() {
    if (consumer.isPresent()) {
      listener.onRevoked();
      consumer.get().close();
      consumer = Optional.empty();
    }
    done.clear();
    committed.clear();
    toStart = Optional.empty();
    if (stopping) { // it may have looked before the consumer went
      membership.stopJoining();
    }
    toStart = Optional.of(membership.join());
  }

  private void start(List<TopicPartition> partitions) {
    Map<TopicPartition, Long> starts = committedOffsets(Set.copyOf(partitions));
    Map<TopicPartition, Long> first = new HashMap<>();
    for (TopicPartition partition : partitions) {
      if (!starts.containsKey(partition)) {
        first.put(partition, firstOffset(partition));
      }
    }
    // Where it begins is committed before it begins: whoever has the partition next begins there too, and passes nothing over.
    if (!first.isEmpty() && !membership.commit(first)) {
      return; // the group has gone on meanwhile, and the next poll with it
    }
    starts.putAll(first);
    toStart = Optional.empty();
    committed.putAll(starts);
    Map<TopicPartition, StartPosition> positions = new HashMap<>();
    starts.forEach((partition, offset) -> positions.put(partition, StartPosition.offset(offset)));
    if (!positions.isEmpty()) {
      consumer = Optional.of(client.consumer(config.fetching(), positions));
    }
    listener.onAssigned(Map.copyOf(starts));
  }

  private Map<TopicPartition, Long> committedOffsets(Set<TopicPartition> wanted) {
    Map<TopicPartition, Long> found = new HashMap<>();
    KakaException.await(link.ask(new GroupOffsets(config.group()), GroupOffsetsReply.class, Duration.ZERO))
        .offsets()
        .forEach(
            entry -> {
              if (wanted.contains(entry.partition())) {
                found.put(entry.partition(), entry.offset());
              }
            });
    return found;
  }

  private long firstOffset(TopicPartition partition) {
    Admin admin = client.admin();
    if (config.start() instanceof StartPosition.AtOffset at) {
      return at.offset();
    }
    if (config.start() instanceof StartPosition.AtTime at) {
      return KakaException.await(admin.offsetForTime(partition, Instant.ofEpochMilli(at.timestampMs())));
    }
    return KakaException.await(
        config.start() instanceof StartPosition.Latest ? admin.latestOffset(partition) : admin.earliestOffset(partition));
  }

  /**
   * Commits, durably, everything that {@code poll} has given out so far.
   *
   * @return false if this member's share is no longer its own: nothing was committed, and whoever has the partitions now gives
   *     out again what was not committed before
   * @throws KakaException whatever else went wrong
   */
  public boolean commit() {
    return commit(done);
  }

  /**
   * As {@link #commit()}, of what is done only.
   *
   * @param offsets of the next record wanted; those that were committed before are passed over
   */
  public boolean commit(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> news = new HashMap<>(offsets);
    news.entrySet().removeAll(committed.entrySet());
    if (news.isEmpty()) {
      return true;
    }
    boolean isCommitted = membership.commit(news);
    if (isCommitted) {
      committed.putAll(news);
    }
    return isCommitted;
  }

  /** The offset of the next record of {@code partition} that {@code poll} will give; empty if it is not in this member's share. */
  public OptionalLong position(TopicPartition partition) {
    return consumer.isPresent() && committed.containsKey(partition) ? consumer.get().position(partition) : OptionalLong.empty();
  }

  /** From any thread: the {@code poll} that waits, or the next one, ends; a join is given up, and there is no other. */
  public void wakeup() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #wakeup}, and no join succeeds any more: for ending. What was given out can still be committed. */
  public void stop() {
    stopping = true;
    if (consumer.isEmpty()) {
      membership.stopJoining();
    }
    wakeup();
  }

  /** Leaves the group, so that others get its partitions at once. Commits nothing. */
  @Override
  public void close() {
    consumer.ifPresent(Consumer::close);
    membership.leave(LEAVE_TIMEOUT);
    wakeup();
  }
}
