package kaka.connection;

import akka.actor.typed.ActorRef;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import kaka.group.GroupReply;
import kaka.partition.PartitionReply;
import kaka.topic.TopicReply;
import kaka.transaction.TransactionReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a connection's exchanges see of it: who its client is, whom they can ask, what they can have read, and timers. */
abstract class ConnectionContext implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionContext.class);

  private final ConnectionServices services;
  private final String peer;
  private final InetSocketAddress localAddress;
  private final OpenConnection shown;
  private final ConnectionTimers timers;
  private final AwaitedReplies replies;
  private final ConnectionQuota quota;
  private final Checks checks = new Checks(this);
  private final Checks makings = new Checks(this); // nothing waits for one but its exchange

  ConnectionContext(
      ConnectionServices services,
      InetSocketAddress remoteAddress,
      InetSocketAddress localAddress,
      ConnectionTimers timers,
      AwaitedReplies replies) {
    this.services = services;
    this.peer = remoteAddress.toString();
    this.localAddress = localAddress;
    this.timers = timers;
    this.replies = replies;
    this.shown = services.counts().open().create(remoteAddress, services.clock().millis());
    this.quota = new ConnectionQuota(services.quotas(), this, remoteAddress, shown);
  }

  /** Where others see it. */
  final OpenConnection shown() {
    return shown;
  }

  final ConnectionTimers timers() {
    return timers;
  }

  final AwaitedReplies replies() {
    return replies;
  }

  /** A bug of ours was met: tells whose connection it is. */
  final void tellFailed(String phrase, Throwable bug) {
    LOG.error("{} peer={} client_id=\"{}\"", phrase, peer, ClientText.inLog(shown.clientId()), bug);
  }

  final void tellAborted(Throwable reason) {
    services
        .counts()
        .tell(
            ConnectionCounts.Line.ABORTED,
            untold ->
                LOG.warn(
                    "connection aborted peer={} client_id=\"{}\" reason={} others_untold={}",
                    peer,
                    ClientText.inLog(shown.clientId()),
                    reason.toString(),
                    untold));
  }

  @Override
  public final ConnectionServices services() {
    return services;
  }

  @Override
  public final String peer() {
    return peer;
  }

  @Override
  public final InetSocketAddress localAddress() {
    return localAddress;
  }

  @Override
  public final ConnectionQuota quota() {
    return quota;
  }

  @Override
  public final ActorRef<PartitionReply> partitionReplies() {
    return replies.self().narrow();
  }

  @Override
  public final ActorRef<TopicReply> topicReplies() {
    return replies.self().narrow();
  }

  @Override
  public final ActorRef<GroupReply> groupReplies() {
    return replies.self().narrow();
  }

  @Override
  public final ActorRef<TransactionReply> transactionReplies() {
    return replies.self().narrow();
  }

  @Override
  public final long expect(ReplyTarget target) {
    return replies.expect(target);
  }

  @Override
  public final void forget(long correlationId) {
    replies.forget(correlationId);
  }

  @Override
  public final <T> void read(Callable<T> work, Consumer<T> onResult, Consumer<Throwable> onFailure) {
    services.fetchIo().execute(
        () -> {
          try {
            T result = work.call();
            replies.done(() -> onResult.accept(result));
          } catch (Throwable e) { // handed on, whatever it is: who asked must not wait for ever
            replies.done(() -> onFailure.accept(e));
          }
        });
  }

  @Override
  public final <T> void make(BatchCheck<T> work, long chargedBytes, Checks.Receiver<T> receiver) {
    makings.startLengthy(work, chargedBytes, receiver);
  }

  /** The connection has ended. */
  final void leaveMakings() {
    makings.leave();
  }

  @Override
  public final Checks checks() {
    return checks;
  }

  @Override
  public final void tell(Runnable next) {
    replies.done(next);
  }

  @Override
  public final void startTimer(Object key, Duration delay, Runnable onDue) {
    timers.once(key, delay, onDue);
  }

  @Override
  public final void stopTimer(Object key) {
    timers.stop(key);
  }
}
