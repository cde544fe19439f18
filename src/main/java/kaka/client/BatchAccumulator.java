package kaka.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import kaka.record.Partitioner;
import kaka.record.TopicPartition;

/**
 * What a producer was given and the broker has not acknowledged: batches per partition, within a bound of bytes. Any thread
 * adds; the loop's thread takes what is due and says how it ended. One lock guards it; nobody waits for the network in it.
 */
final class BatchAccumulator {
  /** What came of {@link #add}, and whether the sender has something new to look at. */
  record Added(CompletableFuture<RecordMetadata> future, boolean isSenderNeeded) {}

  private record FlushWaiter(long throughSequence, long[] unsettled, CompletableFuture<Void> future) {}

  /** What a record takes besides its bytes: its future and the place in the list, about. */
  private static final int RECORD_CHARGE = 64;

  /** What a batch takes besides its records, about. */
  private static final int BATCH_CHARGE = 256;

  private final ProducerConfig config;
  private final int maxBatchBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Map<TopicPartition, PartitionQueue> queues = new HashMap<>();
  private final Map<String, StickyPartition> sticky = new HashMap<>();
  private final ArrayDeque<PartitionQueue> round = new ArrayDeque<>();
  private final List<FlushWaiter> flushWaiters = new ArrayList<>();
  private final List<CompletableFuture<Void>> roomWaiters = new ArrayList<>();
  private long usedBytes;
  private long peakUsedBytes;
  private long lastSequence;
  private long dueThroughSequence;
  private long unsettledBatches;
  private KakaException closedBecause;

  /** @param maxBatchBytes bound on a batch, from the broker's frame limit */
  BatchAccumulator(ProducerConfig config, int maxBatchBytes) {
    this.config = config;
    this.maxBatchBytes = Math.min(config.batchBytes(), maxBatchBytes);
  }

  /** Whether a record that takes {@code recordBytes} can ever have room. */
  boolean canHold(long recordBytes) {
    return recordBytes + RECORD_CHARGE + BATCH_CHARGE <= config.bufferBytes();
  }

  /**
   * Adds a record that {@link #canHold} is true for, if there is room now.
   *
   * @param partitionCount of its topic; not looked at if the record names its partition
   * @param recordBytes bound on what it takes in a batch
   * @param park whether to wait for room
   * @return empty if there is none, and {@code park} is false
   * @throws InterruptedException while waiting; nothing was added
   */
  Optional<Added> add(ProducerRecord record, int partitionCount, long recordBytes, boolean park) throws InterruptedException {
    lock.lock();
    try {
      long chargedBytes = recordBytes + RECORD_CHARGE;
      while (closedBecause == null && usedBytes + chargedBytes + BATCH_CHARGE > config.bufferBytes()) {
        if (!park) {
          return Optional.empty();
        }
        room.await();
      }
      if (closedBecause != null) {
        return Optional.of(new Added(CompletableFuture.failedFuture(closedBecause), false));
      }
      PartitionQueue queue = queueFor(record, partitionCount, recordBytes);
      Optional<PendingBatch> growing = growing(queue, recordBytes);
      PendingBatch batch = growing.orElseGet(() -> begin(queue, recordBytes));
      long timestampMs = record.timestampMs().orElseGet(System::currentTimeMillis);
      CompletableFuture<RecordMetadata> future = batch.add(record, timestampMs, chargedBytes);
      usedBytes += chargedBytes;
      peakUsedBytes = Math.max(peakUsedBytes, usedBytes);
      boolean becameFull = batch.sizeBytes() >= maxBatchBytes;
      if (becameFull) {
        batch.close();
      }
      return Optional.of(new Added(future, growing.isEmpty() || becameFull));
    } finally {
      lock.unlock();
    }
  }

  private PartitionQueue queueFor(ProducerRecord record, int partitionCount, long recordBytes) {
    String topic = record.topic();
    if (record.partition().isPresent()) {
      return queue(topic, record.partition().getAsInt());
    }
    if (record.key() != null) {
      return queue(topic, Partitioner.partitionOf(record.key(), partitionCount));
    }
    StickyPartition partition =
        sticky.computeIfAbsent(topic, name -> new StickyPartition(ThreadLocalRandom.current().nextInt(1 << 16)));
    PartitionQueue current = queue(topic, partition.current(partitionCount));
    return growing(current, recordBytes).isPresent() ? current : queue(topic, partition.next(partitionCount));
  }

  private PartitionQueue queue(String topic, int partition) {
    return queues.computeIfAbsent(new TopicPartition(topic, partition), PartitionQueue::new);
  }

  /** The batch of {@code queue} that takes the record, if there is one. */
  private Optional<PendingBatch> growing(PartitionQueue queue, long recordBytes) {
    return Optional.ofNullable(queue.waiting.peekLast())
        .filter(last -> !last.isFull() && last.sizeBytes() + recordBytes <= maxBatchBytes);
  }

  private PendingBatch begin(PartitionQueue queue, long recordBytes) {
    PendingBatch last = queue.waiting.peekLast();
    if (last != null) {
      last.close();
    }
    int expectedBytes = (int) Math.max(recordBytes, Math.min(queue.expectedBytes, maxBatchBytes));
    PendingBatch batch = new PendingBatch(queue, ++lastSequence, System.nanoTime(), expectedBytes, config.compression());
    queue.waiting.add(batch);
    unsettledBatches++;
    usedBytes += BATCH_CHARGE;
    enqueue(queue);
    return batch;
  }

  private void enqueue(PartitionQueue queue) {
    if (!queue.isQueued && !queue.isHeld && !queue.waiting.isEmpty()) {
      queue.isQueued = true;
      round.add(queue);
    }
  }

  /** Takes the next batch that is due, of each partition in turn; empty if none is, or if it is larger than {@code maxBytes}. */
  Optional<PendingBatch> take(long nowNanos, long maxBytes) {
    lock.lock();
    try {
      for (int i = round.size(); i > 0; i--) {
        PartitionQueue queue = round.remove();
        PendingBatch first = queue.waiting.element();
        if (!isDue(first, nowNanos)) {
          round.add(queue);
        } else if (first.frameBytes() > maxBytes) {
          round.addFirst(queue); // a smaller one must not overtake it for ever
          return Optional.empty();
        } else {
          queue.waiting.remove();
          queue.isQueued = false;
          queue.expectedBytes = (int) Math.min(maxBatchBytes, first.frameBytes());
          first.close();
          enqueue(queue);
          return Optional.of(first);
        }
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private boolean isDue(PendingBatch batch, long nowNanos) {
    return batch.isFull()
        || batch.sequence() <= dueThroughSequence
        || nowNanos - batch.createdNanos() >= config.linger().toNanos();
  }

  /**
   * When the next batch that lingers is due, in nanoseconds from {@code nowNanos}, above 0. Those that are due already do not
   * count: they wait for credit, which no timer brings.
   */
  OptionalLong nextDueNanos(long nowNanos) {
    lock.lock();
    try {
      return round.stream()
          .map(queue -> queue.waiting.element())
          .filter(first -> !isDue(first, nowNanos))
          .mapToLong(first -> first.createdNanos() + config.linger().toNanos() - nowNanos)
          .min();
    } finally {
      lock.unlock();
    }
  }

  /** Whether there are batches that are not settled. */
  boolean hasUnsettled() {
    lock.lock();
    try {
      return unsettledBatches > 0;
    } finally {
      lock.unlock();
    }
  }

  /** While {@code isHeld}, nothing is taken from {@code queue} to be sent. */
  void hold(PartitionQueue queue, boolean isHeld) {
    lock.lock();
    try {
      queue.isHeld = isHeld;
      if (isHeld && queue.isQueued) {
        queue.isQueued = false;
        round.remove(queue);
      }
      enqueue(queue);
    } finally {
      lock.unlock();
    }
  }

  /** Puts batches that were taken, in their order, in front of those that wait. */
  void giveBack(PartitionQueue queue, Deque<PendingBatch> taken) {
    lock.lock();
    try {
      for (Iterator<PendingBatch> each = taken.descendingIterator(); each.hasNext(); ) {
        queue.waiting.addFirst(each.next());
      }
      enqueue(queue);
    } finally {
      lock.unlock();
    }
  }

  /** Takes out what has waited for longer than the delivery timeout, oldest first. */
  List<PendingBatch> takeExpired(long nowNanos) {
    return takeWaiting(batch -> nowNanos - batch.createdNanos() >= config.deliveryTimeout().toNanos());
  }

  /** Takes out everything that waits, oldest first. */
  List<PendingBatch> takeAll() {
    return takeWaiting(batch -> true);
  }

  /** Takes out those of {@code queue} that were numbered before, oldest first. */
  List<PendingBatch> takeNumbered(PartitionQueue queue) {
    lock.lock();
    try {
      List<PendingBatch> taken = new ArrayList<>();
      takeWaiting(queue, PendingBatch::isNumbered, taken);
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void takeWaiting(PartitionQueue queue, Predicate<PendingBatch> which, List<PendingBatch> taken) {
    while (!queue.waiting.isEmpty() && which.test(queue.waiting.element())) {
      taken.add(queue.waiting.remove());
    }
    if (queue.isQueued && queue.waiting.isEmpty()) {
      queue.isQueued = false;
      round.remove(queue);
    }
  }

  private List<PendingBatch> takeWaiting(Predicate<PendingBatch> which) {
    lock.lock();
    try {
      List<PendingBatch> taken = new ArrayList<>();
      queues.values().forEach(queue -> takeWaiting(queue, which, taken));
      taken.sort(Comparator.comparingLong(PendingBatch::sequence));
      taken.forEach(PendingBatch::close);
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** When the oldest batch that waits was made, as {@link System#nanoTime} tells it. */
  OptionalLong oldestWaitingNanos() {
    lock.lock();
    try {
      return queues.values().stream()
          .filter(queue -> !queue.waiting.isEmpty())
          .mapToLong(queue -> queue.waiting.element().createdNanos())
          .reduce((a, b) -> a - b < 0 ? a : b);
    } finally {
      lock.unlock();
    }
  }

  /** The batch's fate is known and its records' futures are complete: its room is free. */
  void settled(PendingBatch batch) {
    List<CompletableFuture<Void>> done = new ArrayList<>();
    lock.lock();
    try {
      usedBytes -= batch.chargedBytes() + BATCH_CHARGE;
      unsettledBatches--;
      room.signalAll();
      done.addAll(roomWaiters);
      roomWaiters.clear();
      for (Iterator<FlushWaiter> each = flushWaiters.iterator(); each.hasNext(); ) {
        FlushWaiter waiter = each.next();
        if (batch.sequence() <= waiter.throughSequence && --waiter.unsettled[0] == 0) {
          each.remove();
          done.add(waiter.future);
        }
      }
    } finally {
      lock.unlock();
    }
    done.forEach(future -> future.complete(null));
  }

  /** Ends the lingering of all that is there; complete once all of it is settled. */
  CompletableFuture<Void> flush() {
    lock.lock();
    try {
      dueThroughSequence = lastSequence;
      if (unsettledBatches == 0) {
        return CompletableFuture.completedFuture(null);
      }
      FlushWaiter waiter = new FlushWaiter(lastSequence, new long[] {unsettledBatches}, new CompletableFuture<>());
      flushWaiters.add(waiter);
      return waiter.future;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the lingering of all that is there. */
  void makeDue() {
    lock.lock();
    try {
      dueThroughSequence = lastSequence;
    } finally {
      lock.unlock();
    }
  }

  /** Complete as soon as any batch is settled; at once if there is none. */
  CompletableFuture<Void> nextSettled() {
    lock.lock();
    try {
      if (unsettledBatches == 0) {
        return CompletableFuture.completedFuture(null);
      }
      CompletableFuture<Void> future = new CompletableFuture<>();
      roomWaiters.add(future);
      return future;
    } finally {
      lock.unlock();
    }
  }

  /** From now on {@link #add} fails with {@code reason}, also for who is parked in it; what is there stays. */
  void close(KakaException reason) {
    lock.lock();
    try {
      if (closedBecause == null) {
        closedBecause = reason;
      }
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it takes no more and has nothing left. */
  boolean isFinished() {
    lock.lock();
    try {
      return closedBecause != null && unsettledBatches == 0;
    } finally {
      lock.unlock();
    }
  }

  /** The most bytes that were ever held at once. */
  long peakUsedBytes() {
    lock.lock();
    try {
      return peakUsedBytes;
    } finally {
      lock.unlock();
    }
  }
}
