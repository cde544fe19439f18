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

/** What an {@link Exchange} can ask of the connection it belongs to. Everything here runs on the connection's thread alone. */
public interface Connection {
  ConnectionServices services();

  /** The client's address, for log lines. */
  String peer();

  /** Where the client connected to. */
  InetSocketAddress localAddress();

  /** What the client has to wait for having produced or fetched too much. */
  ConnectionQuota quota();

  /** Where partitions answer. */
  ActorRef<PartitionReply> partitionReplies();

  /** Where the registry answers. */
  ActorRef<TopicReply> topicReplies();

  /** Where the group coordinator answers. */
  ActorRef<GroupReply> groupReplies();

  /** Where the transaction coordinator answers. */
  ActorRef<TransactionReply> transactionReplies();

  /** Registers who gets the next reply, or hears that there will be none; returns the correlation id to ask with. */
  long expect(ReplyTarget target);

  /** The reply is no longer waited for; if it comes, it is dropped. */
  void forget(long correlationId);

  /** Runs blocking work on the fetch dispatcher; one of the two is called on the connection's thread, unless the connection has ended. */
  <T> void read(Callable<T> work, Consumer<T> onResult, Consumer<Throwable> onFailure);

  /**
   * Makes what takes the processor for longer than other connections should wait, where long checks run, step by step. For the oldest
   * exchange, so that there is one of a connection at most. When the connection ends, it is not begun any more, or broken off.
   *
   * @param chargedBytes charged to the memory budget for it, and kept until it has ended, though the connection may have before
   */
  <T> void make(BatchCheck<T> work, long chargedBytes, Checks.Receiver<T> receiver);

  /** Where batches are checked that would take too long on its thread; nothing more is taken of it before they are. */
  Checks checks();

  /** From any thread: {@code next} is run on the connection's, unless the connection has ended. */
  void tell(Runnable next);

  /** Calls {@code onDue} on the connection's thread after {@code delay}, unless {@link #stopTimer} is called first. */
  void startTimer(Object key, Duration delay, Runnable onDue);

  void stopTimer(Object key);

  /** Whether the broker is stopping, so that nothing more is taken. */
  boolean isDraining();

  /** Whether a fetch may wait for records: not when the broker stops, nor for a client that has closed its side or all. */
  boolean mayWait();

  /** Framing cannot be kept: closes the socket now, without another byte. */
  void abort(Throwable reason);
}
