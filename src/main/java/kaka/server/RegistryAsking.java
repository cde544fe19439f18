package kaka.server;

import akka.actor.typed.ActorRef;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import kaka.connection.AwaitedExchange;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.protocol.AddPartitionsReply;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;

/** A request that changes topics, on its way to the registry and back. */
final class RegistryAsking implements ReplyTarget {
  /** Makes the registry's command of the correlation id and of who is to be answered. */
  @FunctionalInterface
  interface Command {
    TopicRegistry.Command of(long correlationId, ActorRef<TopicReply> replyTo);
  }

  private final ActorRef<TopicRegistry.Command> registry;
  private final AwaitedExchange exchange;
  private final Function<TopicRoute, byte[]> answer;
  private final Runnable onDone;

  private RegistryAsking(
      ActorRef<TopicRegistry.Command> registry,
      AwaitedExchange exchange,
      Function<TopicRoute, byte[]> answer,
      Runnable onDone) {
    this.registry = registry;
    this.exchange = exchange;
    this.answer = answer;
    this.onDone = onDone;
  }

  /**
   * Asks the registry when its turn comes.
   *
   * @param answer the frame for a topic that is ready
   * @param onDone called when the registry has answered
   */
  static Exchange exchange(
      Connection connection, int bodyBytes, Command command, Function<TopicRoute, byte[]> answer, Runnable onDone) {
    return new AwaitedExchange(
        bodyBytes,
        exchange -> {
          ActorRef<TopicRegistry.Command> registry = connection.services().registry();
          long id = connection.expect(new RegistryAsking(registry, exchange, answer, onDone));
          registry.tell(command.of(id, connection.topicReplies()));
        });
  }

  @Override
  public ActorRef<?> asked() {
    return registry;
  }

  @Override
  public void onStopped() {
    finish(Answers.noRegistry());
  }

  @Override
  public void onTopicReply(TopicReply reply) {
    if (reply instanceof TopicReply.Ready ready) {
      finish(answer.apply(ready.route()));
    } else if (reply instanceof TopicReply.TopicRefused refused) {
      finish(Answers.error(Answers.codeOf(refused.reason()), refused.message()));
    } else {
      finish(new DeleteTopicReply().toFrame());
    }
  }

  private void finish(byte[] frame) {
    exchange.complete(frame);
    onDone.run();
  }

  static byte[] created(TopicRoute route) {
    return failure("topic created", route.partitions())
        .orElseGet(() -> new CreateTopicReply(route.topic().id(), route.topic().partitionCount()).toFrame());
  }

  static byte[] grown(TopicRoute route) {
    return failure("partitions added", route.partitions())
        .orElseGet(() -> new AddPartitionsReply(route.topic().partitionCount()).toFrame());
  }

  private static Optional<byte[]> failure(String done, List<PartitionHandle> partitions) {
    return partitions.stream()
        .filter(each -> each.view().state() == PartitionState.FAILED)
        .findFirst()
        .map(each -> Answers.error(ErrorCode.STORAGE, done + ", but " + each.id() + " failed: " + each.view().reason()));
  }
}
