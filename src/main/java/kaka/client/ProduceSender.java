package kaka.client;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.client.KakaException.Reason;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProduceAck;

/**
 * Sends a producer's batches over a connection of its own, as credit allows, and settles each once. On the loop's thread but
 * for {@link #wake}.
 *
 * <p>What a batch's end means for its partition, whose batches are never stored in another order than they were given in:
 *
 * <pre>
 * answer                     this batch                          batches refused before it, not yet sent again
 * ack                        stored                              failed: they would be stored out of order
 * retriable refusal          sent again once all answers are in  stay, in front of it
 * other refusal              failed                              stay
 * connection lost, sent      failed, outcome unknown             failed: this one may be stored
 * connection lost, not sent  sent again on the next connection   stay, in front of it
 * </pre>
 *
 * After a refusal the partition has one batch in flight at a time until an ack, so that the third column is rare.
 */
final class ProduceSender implements Connection.Listener {
  private final SelectorLoop loop;
  private final ClientConfig clientConfig;
  private final ProducerConfig config;
  private final BatchAccumulator accumulator;
  private final PartitionCounts partitionCounts;
  private final ProducerCounters counters;
  private final AtomicBoolean woken = new AtomicBoolean();
  private Connection connection;
  private SelectorLoop.Timer reconnectTimer;
  private SelectorLoop.Timer lingerTimer;
  private SelectorLoop.Timer expiryTimer;
  private int failedConnections;

  /** Why there is no connection; null once there is one again. */
  private KakaException lastConnectionFailure;

  private KakaException closedBecause;

  ProduceSender(
      SelectorLoop loop,
      ClientConfig clientConfig,
      ProducerConfig config,
      BatchAccumulator accumulator,
      PartitionCounts partitionCounts,
      ProducerCounters counters) {
    this.loop = loop;
    this.clientConfig = clientConfig;
    this.config = config;
    this.accumulator = accumulator;
    this.partitionCounts = partitionCounts;
    this.counters = counters;
  }

  /** There is something new to look at. From any thread. */
  void wake() {
    if (woken.compareAndSet(false, true)) {
      try {
        loop.execute(this::onWoken);
      } catch (RejectedExecutionException e) {
        accumulator.close(new KakaException(Reason.CLOSED, e.getMessage(), e)); // the loop has failed what was there
      }
    }
  }

  private void onWoken() {
    woken.set(false); // before looking: what comes from now on wakes again
    sendDue();
  }

  /** Sends what is due and has credit, or sees to a connection. */
  private void sendDue() {
    if (closedBecause != null) {
      failAll(accumulator.takeAll(), closedBecause);
    } else if (connection == null) {
      connectIfNeeded();
    } else if (connection.isOpen()) {
      long nowNanos = System.nanoTime();
      long creditBytes = connection.creditBytes();
      PendingBatch batch = creditBytes == 0 ? null : accumulator.take(nowNanos, creditBytes);
      while (batch != null) {
        send(batch);
        creditBytes = connection.creditBytes();
        batch = creditBytes == 0 ? null : accumulator.take(nowNanos, creditBytes);
      }
      connection.flush();
      if (creditBytes > 0) {
        scheduleLinger(nowNanos);
      }
    }
    scheduleExpiry();
  }

  private void send(PendingBatch batch) {
    PartitionQueue queue = batch.queue();
    queue.inFlight++;
    if (queue.pauses > 0) {
      accumulator.hold(queue); // until this one is answered
    }
    ReplyHandler<ProduceAck> handler =
        new ReplyHandler<>() {
          @Override
          public void answered(ProduceAck ack) {
            onAck(batch, ack.baseOffset());
          }

          @Override
          public void failed(KakaException failure, boolean sent) {
            onFailure(batch, failure, sent);
          }
        };
    connection.send(batch.frame(), ProduceAck.class, clientConfig.requestTimeout(), handler);
    counters.inFlight(connection.inFlight());
  }

  private void onAck(PendingBatch batch, long baseOffset) {
    PartitionQueue queue = batch.queue();
    queue.inFlight--;
    failedConnections = 0;
    failReturned(queue);
    partitionCounts.exists(queue.partition().topic());
    counters.acked(batch.recordCount());
    batch.stored(baseOffset);
    accumulator.settled(batch);
    if (queue.isRefused || queue.pauses > 0) {
      queue.isRefused = false;
      queue.pauses = 0;
      accumulator.release(queue);
    }
  }

  private void onFailure(PendingBatch batch, KakaException failure, boolean sent) {
    PartitionQueue queue = batch.queue();
    queue.inFlight--;
    boolean isRefusal = failure.reason() == Reason.REFUSED;
    if (isRefusal && failure.isRetriable()) {
      queue.returned.add(batch);
      queue.lastRefusal = failure;
      queue.isRefused = true;
      accumulator.hold(queue);
    } else if (isRefusal) {
      if (failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)) {
        partitionCounts.forget(queue.partition().topic());
      }
      fail(batch, failure);
    } else if (sent) {
      failReturned(queue);
      fail(batch, failure.withUnknownOutcome());
    } else {
      queue.returned.add(batch);
    }
    if (queue.inFlight == 0) {
      allAnswered(queue);
    }
  }

  /** Nothing of the partition is on its way any more: what came back goes to the front, and is sent after a pause. */
  private void allAnswered(PartitionQueue queue) {
    accumulator.giveBack(queue, queue.returned);
    queue.returned.clear();
    if (queue.isRefused) {
      queue.isRefused = false;
      queue.pauses++;
      loop.schedule(
          clientConfig.backoff(queue.pauses),
          () -> {
            accumulator.release(queue);
            sendDue();
          });
    } else {
      accumulator.release(queue);
    }
  }

  /** A later batch is or may be stored: what was refused before it can no longer go to its place. */
  private void failReturned(PartitionQueue queue) {
    while (!queue.returned.isEmpty()) {
      fail(queue.returned.remove(), queue.lastRefusal.because("not sent again: records given later were stored meanwhile"));
    }
  }

  private void fail(PendingBatch batch, KakaException failure) {
    counters.failed(batch.recordCount(), failure);
    batch.failed(failure);
    accumulator.settled(batch);
  }

  private void failAll(List<PendingBatch> batches, KakaException failure) {
    batches.forEach(batch -> fail(batch, failure));
  }

  @Override
  public void opened() {
    lastConnectionFailure = null;
    sendDue();
  }

  @Override
  public void creditReturned() {
    counters.inFlight(connection.inFlight());
    sendDue();
  }

  @Override
  public void closed(Connection ended, KakaException reason) {
    connection = null;
    counters.inFlight(0);
    lastConnectionFailure = reason;
    if (accumulator.hasUnsettled()) {
      failedConnections++; // otherwise it was idle, and the next may come at once
    }
    if (!reason.isRetriable()) {
      failAll(accumulator.takeAll(), reason);
    }
    sendDue();
  }

  private void connectIfNeeded() {
    if (reconnectTimer != null || !accumulator.hasUnsettled()) {
      return;
    }
    if (failedConnections == 0) {
      connection = Connection.open(loop, clientConfig, this);
      return;
    }
    reconnectTimer =
        loop.schedule(
            clientConfig.backoff(failedConnections),
            () -> {
              reconnectTimer = null;
              if (closedBecause == null && accumulator.hasUnsettled()) {
                connection = Connection.open(loop, clientConfig, this);
              }
            });
  }

  private void scheduleLinger(long nowNanos) {
    if (lingerTimer != null || config.linger().isZero()) {
      return;
    }
    OptionalLong leftNanos = accumulator.nextDueNanos(nowNanos);
    if (leftNanos.isPresent()) {
      lingerTimer =
          loop.schedule(
              Duration.ofNanos(leftNanos.getAsLong()),
              () -> {
                lingerTimer = null;
                sendDue();
              });
    }
  }

  private void scheduleExpiry() {
    if (expiryTimer == null && closedBecause == null && accumulator.hasUnsettled()) {
      long sinceNanos = accumulator.oldestWaitingNanos().orElseGet(System::nanoTime);
      Duration left = config.deliveryTimeout().plusNanos(sinceNanos - System.nanoTime());
      expiryTimer = loop.schedule(left.isNegative() ? Duration.ZERO : left, this::expire);
    }
  }

  private void expire() {
    expiryTimer = null;
    for (PendingBatch batch : accumulator.takeExpired(System.nanoTime())) {
      String within = "within " + config.deliveryTimeout().toMillis() + " ms";
      if (batch.queue().pauses > 0) {
        fail(batch, batch.queue().lastRefusal.because("not accepted " + within));
      } else {
        String why = lastConnectionFailure == null ? "" : ": " + lastConnectionFailure.getMessage();
        fail(batch, new KakaException(Reason.EXPIRED, "not sent " + within + why));
      }
    }
    scheduleExpiry();
  }

  /** Ends it: what is not settled fails. */
  void close(KakaException reason) {
    if (closedBecause != null) {
      return;
    }
    closedBecause = reason;
    accumulator.close(reason);
    if (connection != null) {
      connection.close(reason);
    }
    failAll(accumulator.takeAll(), reason);
  }
}
