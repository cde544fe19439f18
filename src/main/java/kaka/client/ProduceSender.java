package kaka.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import kaka.client.KakaException.Reason;
import kaka.protocol.ProduceAck;
import kaka.socket.SelectorLoop;

/**
 * Sends a producer's batches over a connection of its own, as credit allows, and settles each once. On the loop's thread but
 * for {@link #wake}.
 */
final class ProduceSender implements Connection.Listener {
  private final SelectorLoop loop;
  private final ClientConfig clientConfig;
  private final ProducerConfig config;
  private final BatchAccumulator accumulator;
  private final ProducerCounters counters;
  private final BatchNumbering numbering = new BatchNumbering();
  private final BatchDelivery delivery;
  private final AtomicBoolean woken = new AtomicBoolean();
  private Connection connection;
  private SelectorLoop.Timer reconnectTimer;
  private SelectorLoop.Timer lingerTimer;
  private SelectorLoop.Timer expiryTimer;
  private int failedConnections;

  /** Why there is no connection; null once there is one again. */
  private KakaException lastConnectionFailure;

  private KakaException closedBecause;
  private volatile Consumer<KakaException> onConnectionLost = reason -> {};

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
    this.counters = counters;
    this.delivery = new BatchDelivery(config, accumulator, numbering, partitionCounts, counters, this::pause, this::close);
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

  /** @param listener told, on the loop's thread, that records wait for the next connection; once until one is acknowledged */
  void onConnectionLost(Consumer<KakaException> listener) {
    onConnectionLost = listener;
  }

  private void onWoken() {
    woken.set(false); // before looking: what comes from now on wakes again
    sendDue();
  }

  /** Sends what is due and has credit, or sees to a connection. */
  private void sendDue() {
    if (closedBecause != null) {
      delivery.fail(accumulator.takeAll(), closedBecause);
    } else if (connection == null) {
      connectIfNeeded();
    } else if (connection.isOpen()) {
      long nowNanos = System.nanoTime();
      Optional<PendingBatch> batch = takeDue(nowNanos);
      while (batch.isPresent()) {
        send(batch.get());
        batch = takeDue(nowNanos);
      }
      boolean hasCredit = connection.creditBytes() > 0;
      connection.flush(); // may end the connection
      if (hasCredit) {
        scheduleLinger(nowNanos);
      }
    }
    scheduleExpiry();
  }

  private Optional<PendingBatch> takeDue(long nowNanos) {
    long creditBytes = connection.creditBytes();
    return creditBytes == 0 ? Optional.empty() : accumulator.take(nowNanos, creditBytes);
  }

  private void send(PendingBatch batch) {
    delivery.sending(batch);
    ReplyHandler<ProduceAck> handler =
        new ReplyHandler<>() {
          @Override
          public void answered(ProduceAck ack) {
            failedConnections = 0;
            delivery.acked(batch, ack.baseOffset());
          }

          @Override
          public void failed(KakaException failure, boolean sent) {
            delivery.failed(batch, failure, sent);
          }
        };
    connection.send(batch.frame(), ProduceAck.class, clientConfig.requestTimeout(), handler);
    counters.inFlight(connection.inFlight());
  }

  /** After a refusal that passes: nothing of the partition is sent for a while, longer each time. */
  private void pause(PartitionQueue queue) {
    loop.schedule(
        clientConfig.backoff(queue.pauses),
        () -> {
          delivery.pauseOver(queue);
          sendDue();
        });
  }

  @Override
  public void opened() {
    if (config.idempotent() && !numbering.hasIdentity()) {
      if (connection.hello().producer().isEmpty()) {
        connection.close(new KakaException(Reason.BAD_ANSWER, "the broker gave no producer id, it is too old for that"));
        return;
      }
      numbering.setIdentity(connection.hello().producer().get());
    }
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
      if (failedConnections == 1 && reason.isRetriable() && closedBecause == null) {
        onConnectionLost.accept(reason);
      }
    }
    if (!reason.isRetriable()) {
      delivery.fail(accumulator.takeAll(), reason);
    }
    sendDue();
  }

  private void connectIfNeeded() {
    if (reconnectTimer != null || !accumulator.hasUnsettled()) {
      return;
    }
    if (failedConnections == 0) {
      openConnection();
      return;
    }
    reconnectTimer =
        loop.schedule(
            clientConfig.backoff(failedConnections),
            () -> {
              reconnectTimer = null;
              if (closedBecause == null && accumulator.hasUnsettled()) {
                openConnection();
              }
            });
  }

  private void openConnection() {
    connection = Connection.open(loop, clientConfig, this, config.idempotent() && !numbering.hasIdentity());
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
    List<PendingBatch> expired = accumulator.takeExpired(System.nanoTime());
    String within = "within " + config.deliveryTimeout().toMillis() + " ms";
    String why = lastConnectionFailure == null ? "" : ": " + lastConnectionFailure.getMessage();
    for (PendingBatch batch : expired) {
      boolean isRefused = batch.queue().pauses > 0;
      String what = batch.isMaybeStored() ? "not acknowledged " : "not sent ";
      delivery.fail(
          List.of(batch),
          isRefused
              ? batch.queue().lastRefusal.because("not accepted " + within)
              : new KakaException(Reason.EXPIRED, what + within + why));
    }
    sendDue();
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
    delivery.fail(accumulator.takeAll(), reason);
  }
}
