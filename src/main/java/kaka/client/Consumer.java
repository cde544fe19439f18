package kaka.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import kaka.client.KakaException.Reason;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/**
 * Reads partitions, each from where it is told to start, and waits at their ends for more; see {@link ConsumerConfig}. It
 * fetches ahead, and stops when its bound is reached until {@code poll} has made room. Safe for use by many threads, though
 * what they poll is then divided among them.
 *
 * <p>The records of a partition come in order, each once. Those of different partitions come as they arrive.
 *
 * <p>A failure is told to one {@code poll}. The next goes on, after a pause, where the partition was: nothing is skipped.
 */
public final class Consumer implements AutoCloseable {
  /** Something for {@code poll}: batches, or a failure. */
  private record Arrival(PartitionFetcher fetcher, FetchedBatches batches, KakaException failure) {}

  private final SelectorLoop loop;
  private final ClientConfig clientConfig;
  private final ConsumerConfig config;
  private final PartitionCounts partitionCounts;
  private final PartitionFetcher.Sink sink;
  private final Map<TopicPartition, PartitionFetcher> fetchers = new ConcurrentHashMap<>(); // grows on the loop's thread
  private final List<PartitionWatch> watches = new ArrayList<>(); // on the loop's thread
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
  private final ArrayDeque<CompletableFuture<List<ConsumedRecord>>> waiting = new ArrayDeque<>();
  private final List<PartitionFetcher> failed = new ArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();
  private KakaException closedBecause;

  Consumer(
      SelectorLoop loop,
      ClientConfig clientConfig,
      ConsumerConfig config,
      Map<TopicPartition, StartPosition> startPositions,
      PartitionCounts partitionCounts) {
    if (startPositions.isEmpty()) {
      throw new IllegalArgumentException("no partition to consume");
    }
    startPositions.keySet().forEach(each -> ProducerRecord.checkTopic(each.topic()));
    this.loop = loop;
    this.clientConfig = clientConfig;
    this.config = config;
    this.partitionCounts = partitionCounts;
    this.sink =
        new PartitionFetcher.Sink() {
          @Override
          public void fetched(PartitionFetcher fetcher, FetchedBatches batches) {
            arrived(new Arrival(fetcher, batches, null));
          }

          @Override
          public void failed(PartitionFetcher fetcher, KakaException failure) {
            arrived(new Arrival(fetcher, null, failure));
          }
        };
    addFetchers(startPositions);
    loop.execute(() -> fetchers.values().forEach(PartitionFetcher::fetch));
  }

  private void addFetchers(Map<TopicPartition, StartPosition> starts) {
    long share = Math.max(1, config.prefetchBytes() / (fetchers.size() + starts.size()));
    fetchers.values().forEach(fetcher -> fetcher.share(share));
    starts.forEach(
        (partition, start) ->
            fetchers.put(partition, new PartitionFetcher(loop, clientConfig, config, partition, start, share, sink)));
  }

  /**
   * From now on partitions that {@code topic} gets are read too, each from its first record. The broker is asked for them every
   * {@link ClientConfig#metadataRefresh}.
   *
   * @param knownCount how many there were when this consumer's partitions were chosen: those from this number on are new
   */
  public void includeNewPartitions(String topic, int knownCount) {
    ProducerRecord.checkTopic(topic);
    PartitionWatch watch =
        new PartitionWatch(loop, partitionCounts, clientConfig.metadataRefresh(), topic, knownCount, this::include);
    try {
      loop.execute(
          () -> {
            if (!isClosed()) {
              watches.add(watch);
              watch.start();
            }
          });
    } catch (RejectedExecutionException e) {
      throw new KakaException(Reason.CLOSED, e.getMessage(), e);
    }
  }

  private void include(List<TopicPartition> partitions) {
    Map<TopicPartition, StartPosition> starts = new HashMap<>();
    partitions.stream().filter(each -> !fetchers.containsKey(each)).forEach(each -> starts.put(each, StartPosition.EARLIEST));
    addFetchers(starts);
    starts.keySet().forEach(partition -> fetchers.get(partition).fetch());
  }

  /**
   * The next records, at least one, of one partition.
   *
   * @return complete as soon as there are any; cancelling it loses none. It fails with a {@link KakaException}. It completes
   *     on the client's one thread: what hangs on it must not block
   */
  public CompletableFuture<List<ConsumedRecord>> poll() {
    CompletableFuture<List<ConsumedRecord>> future = new CompletableFuture<>();
    lock.lock();
    try {
      if (closedBecause != null) {
        future.completeExceptionally(closedBecause);
        return future;
      }
      waiting.add(future);
      if (!failed.isEmpty()) {
        List<PartitionFetcher> resumed = List.copyOf(failed);
        failed.clear();
        loop.execute(() -> resumed.forEach(PartitionFetcher::resume));
      }
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new KakaException(Reason.CLOSED, e.getMessage(), e));
    } finally {
      lock.unlock();
    }
    giveOut();
    return future;
  }

  /**
   * The next records of one partition, waited for in the calling thread.
   *
   * @return empty if none came within {@code timeout}
   * @throws KakaException what went wrong
   * @throws IllegalStateException on the client's own thread, which cannot wait for itself
   */
  public List<ConsumedRecord> poll(Duration timeout) {
    if (loop.isLoopThread()) {
      throw new IllegalStateException("poll(Duration) would park the client's own thread");
    }
    CompletableFuture<List<ConsumedRecord>> future = poll();
    try {
      return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return withdraw(future) ? List.of() : KakaException.await(future);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (withdraw(future)) {
        throw new KakaException(Reason.INTERRUPTED, "interrupted while waiting for records", e);
      }
      return KakaException.await(future);
    } catch (ExecutionException e) {
      return KakaException.await(future);
    }
  }

  /** Nobody waits for {@code future} any more. @return false if it has its records, or failure, already */
  boolean withdraw(CompletableFuture<List<ConsumedRecord>> future) {
    lock.lock();
    try {
      waiting.remove(future);
    } finally {
      lock.unlock();
    }
    return future.cancel(false);
  }

  private void arrived(Arrival arrival) {
    lock.lock();
    try {
      arrivals.add(arrival);
    } finally {
      lock.unlock();
    }
    giveOut();
  }

  /**
   * Brings arrivals and those who wait together; one thread at a time, so that an arrival that nobody took after all goes
   * back to its place. Futures complete outside the lock: what hangs on them may poll again.
   */
  private void giveOut() {
    if (calls.getAndIncrement() > 0) {
      return; // whoever is at it does this one's work too
    }
    int seen = 1;
    do {
      while (giveNext()) {}
      seen = calls.addAndGet(-seen);
    } while (seen > 0);
  }

  private boolean giveNext() {
    Arrival arrival;
    CompletableFuture<List<ConsumedRecord>> future;
    lock.lock();
    try {
      if (arrivals.isEmpty() || waiting.isEmpty()) {
        return false;
      }
      arrival = arrivals.remove();
      future = waiting.remove();
    } finally {
      lock.unlock();
    }
    if (arrival.failure != null) {
      giveFailure(arrival, future);
    } else {
      giveBatches(arrival, future);
    }
    return true;
  }

  private void giveFailure(Arrival arrival, CompletableFuture<List<ConsumedRecord>> future) {
    lock.lock();
    try {
      failed.add(arrival.fetcher); // first: whoever is told may poll at once, and that resumes it
    } finally {
      lock.unlock();
    }
    if (!future.completeExceptionally(arrival.failure)) {
      putBack(arrival);
    }
  }

  private void giveBatches(Arrival arrival, CompletableFuture<List<ConsumedRecord>> future) {
    List<ConsumedRecord> records;
    try {
      records = arrival.batches.records();
    } catch (KakaException e) {
      putBack(arrival); // nothing after it is given out before it
      future.completeExceptionally(e);
      return;
    }
    FetchedBatches batches = arrival.batches;
    batches.give();
    arrival.fetcher.moveTo(batches.position()); // first: whoever gets the records may ask for the position at once
    if (records.isEmpty()) {
      waitFirst(future);
    } else if (!future.complete(records)) {
      batches.takeBack(); // it was cancelled
      arrival.fetcher.moveTo(batches.position());
    }
    if (batches.isExhausted()) {
      arrival.fetcher.exhausted(batches);
    } else {
      putBack(arrival);
    }
  }

  private void putBack(Arrival arrival) {
    lock.lock();
    try {
      arrivals.addFirst(arrival);
    } finally {
      lock.unlock();
    }
  }

  private void waitFirst(CompletableFuture<List<ConsumedRecord>> future) {
    lock.lock();
    try {
      if (closedBecause == null) {
        waiting.addFirst(future);
        return;
      }
    } finally {
      lock.unlock();
    }
    future.completeExceptionally(closedBecause);
  }

  /** The offset of the next record of {@code partition} that {@code poll} will give; empty until its start is resolved. */
  public OptionalLong position(TopicPartition partition) {
    return fetchers.get(partition).position();
  }

  /** One past the newest record of {@code partition} when the broker last told; empty until it has. */
  public OptionalLong highWatermark(TopicPartition partition) {
    return fetchers.get(partition).highWatermark();
  }

  /** Ends it: who polls, now or later, gets a failure. */
  @Override
  public void close() {
    KakaException reason = new KakaException(Reason.CLOSED, "the consumer is closed");
    try {
      loop.execute(() -> abort(reason));
    } catch (RejectedExecutionException e) {
      // the client was closed before, and this with it
    }
    stopWaiting(reason);
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closedBecause != null;
    } finally {
      lock.unlock();
    }
  }

  /** Ends it with {@code reason}. On the loop's thread. */
  void abort(KakaException reason) {
    stopWaiting(reason);
    watches.forEach(PartitionWatch::stop);
    fetchers.values().forEach(fetcher -> fetcher.close(reason));
  }

  private void stopWaiting(KakaException reason) {
    List<CompletableFuture<List<ConsumedRecord>>> stopped;
    lock.lock();
    try {
      if (closedBecause == null) {
        closedBecause = reason;
      }
      stopped = List.copyOf(waiting);
      waiting.clear();
      arrivals.clear();
    } finally {
      lock.unlock();
    }
    stopped.forEach(future -> future.completeExceptionally(reason));
  }
}
