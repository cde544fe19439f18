package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import kaka.connection.ReplyTarget;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;

/** What one request asks of the registry: it goes on when every question is answered, or cannot be. */
final class RegistryQuestions {
  private final Call call;
  private final ActorRef<TopicRegistry.Command> registry;
  private Runnable then;
  private int openCount;

  RegistryQuestions(Call call) {
    this.call = call;
    this.registry = call.services().registry();
  }

  /**
   * @param command the question, given the correlation id
   * @param onReply nothing if the registry has stopped
   */
  void ask(LongFunction<TopicRegistry.Command> command, Consumer<Optional<TopicReply>> onReply) {
    openCount++;
    long id = call.connection().expect(new Question(onReply));
    registry.tell(command.apply(id));
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

  private final class Question implements ReplyTarget {
    private final Consumer<Optional<TopicReply>> onReply;

    Question(Consumer<Optional<TopicReply>> onReply) {
      this.onReply = onReply;
    }

    @Override
    public void onTopicReply(TopicReply reply) {
      settle(Optional.of(reply));
    }

    @Override
    public void onStopped() {
      settle(Optional.empty());
    }

    private void settle(Optional<TopicReply> reply) {
      onReply.accept(reply);
      openCount--;
      goOn();
    }

    @Override
    public ActorRef<?> asked() {
      return registry;
    }
  }
}
