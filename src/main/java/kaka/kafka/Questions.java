package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import kaka.connection.ReplyTarget;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.transaction.TransactionCoordinator;
import org.apache.kafka.common.protocol.Errors;

/** What one request asks of the registry, or of partitions: it goes on when every question is answered, or cannot be. */
final class Questions {
  private final Call call;
  private Runnable then;
  private int openCount;

  Questions(Call call) {
    this.call = call;
  }

  /**
   * @param command the question, given the correlation id
   * @param onReply nothing if the registry has stopped
   */
  void askRegistry(LongFunction<TopicRegistry.Command> command, Consumer<Optional<TopicReply>> onReply) {
    ActorRef<TopicRegistry.Command> registry = call.services().registry();
    registry.tell(command.apply(expect(new RegistryQuestion(registry, onReply))));
  }

  /**
   * @param command the question, given the correlation id
   * @param onReply called with what is no refusal
   * @param onError called with the refusal, or if the partition has stopped
   */
  void askPartition(
      PartitionHandle partition,
      LongFunction<PartitionActor.Command> command,
      Consumer<PartitionReply> onReply,
      Consumer<Errors> onError) {
    partition.actor().tell(command.apply(expect(new PartitionQuestion(partition, onReply, onError))));
  }

  /** As {@link #askPartition}, by way of the transaction coordinator, who refuses or has the partition answer: both are watched. */
  void askPartitionByCoordinator(
      PartitionHandle partition,
      LongFunction<TransactionCoordinator.Command> command,
      Consumer<PartitionReply> onReply,
      Consumer<Errors> onError) {
    ActorRef<TransactionCoordinator.Command> coordinator = call.services().transactions().coordinator();
    PartitionQuestion question = new PartitionQuestion(partition, onReply, onError);
    long id = expect(question);
    question.relayId = call.connection().expect(new Relay(coordinator, id, question));
    coordinator.tell(command.apply(id));
  }

  private long expect(ReplyTarget question) {
    openCount++;
    return call.connection().expect(question);
  }

  /** Called once, after all that was to be asked. */
  void whenAnswered(Runnable then) {
    this.then = then;
    goOn();
  }

  private void goOn() {
    if (openCount == 0 && then != null) {
      then.run();
    }
  }

  private void settled() {
    openCount--;
    goOn();
  }

  private final class RegistryQuestion implements ReplyTarget {
    private final ActorRef<TopicRegistry.Command> registry;
    private final Consumer<Optional<TopicReply>> onReply;

    RegistryQuestion(ActorRef<TopicRegistry.Command> registry, Consumer<Optional<TopicReply>> onReply) {
      this.registry = registry;
      this.onReply = onReply;
    }

    @Override
    public ActorRef<?> asked() {
      return registry;
    }

    @Override
    public void onTopicReply(TopicReply reply) {
      onReply.accept(Optional.of(reply));
      settled();
    }

    @Override
    public void onStopped() {
      onReply.accept(Optional.empty());
      settled();
    }
  }

  private final class PartitionQuestion implements ReplyTarget {
    private static final long NO_RELAY = -1;

    private final PartitionHandle partition;
    private final Consumer<PartitionReply> onReply;
    private final Consumer<Errors> onError;
    private long relayId = NO_RELAY;

    PartitionQuestion(PartitionHandle partition, Consumer<PartitionReply> onReply, Consumer<Errors> onError) {
      this.partition = partition;
      this.onReply = onReply;
      this.onError = onError;
    }

    @Override
    public ActorRef<?> asked() {
      return partition.actor();
    }

    @Override
    public void onPartitionReply(PartitionReply reply) {
      forgetRelay();
      if (reply instanceof PartitionReply.Refused refused) {
        fail(KafkaErrors.of(refused.reason()));
      } else {
        onReply.accept(reply);
        settled();
      }
    }

    @Override
    public void onStopped() {
      forgetRelay();
      fail(KafkaErrors.unusable(call.services().routes().table(), partition));
    }

    private void forgetRelay() {
      if (relayId != NO_RELAY) {
        call.connection().forget(relayId);
      }
    }

    private void fail(Errors error) {
      onError.accept(error);
      settled();
    }
  }

  /** Watches over the coordinator, who may stop before it has passed the question on. */
  private final class Relay implements ReplyTarget {
    private final ActorRef<TransactionCoordinator.Command> coordinator;
    private final long questionId;
    private final PartitionQuestion question;

    Relay(ActorRef<TransactionCoordinator.Command> coordinator, long questionId, PartitionQuestion question) {
      this.coordinator = coordinator;
      this.questionId = questionId;
      this.question = question;
    }

    @Override
    public ActorRef<?> asked() {
      return coordinator;
    }

    @Override
    public void onStopped() {
      call.connection().forget(questionId);
      question.fail(Errors.COORDINATOR_NOT_AVAILABLE);
    }
  }
}
