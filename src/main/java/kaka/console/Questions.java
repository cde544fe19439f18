package kaka.console;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Asks actors of one kind for the API. Each question is an actor, which ends with the answer, or with the actor that was asked; so that
 * what is asked of one that hangs does not pile up, there are {@link #MAX} at most. Safe from any thread.
 */
final class Questions {
  static final int MAX = 64;

  private enum Event {
    STOPPED,
    GIVEN_UP
  }

  private final ActorSystem<Void> system;
  private final String kind;
  private final Semaphore places = new Semaphore(MAX);
  private final AtomicLong count = new AtomicLong();

  /** @param kind of whom is asked, for the actors' names */
  Questions(ActorSystem<Void> system, String kind) {
    this.system = system;
    this.kind = kind;
  }

  /**
   * @param question given who is to be answered
   * @return the answer, or nothing if who was asked has stopped; it may take for ever
   * @throws ApiError if there are too many questions already
   */
  <Q, A> CompletionStage<Optional<A>> ask(ActorRef<Q> asked, Class<A> type, Function<ActorRef<A>, Q> question) {
    return start(asked, type, question, Optional.empty(), self -> Optional.empty());
  }

  /** As the other, but gives up after a while: then {@code asked} is told {@code cancel}, and there is no answer. */
  <Q, A> CompletionStage<Optional<A>> ask(
      ActorRef<Q> asked, Class<A> type, Function<ActorRef<A>, Q> question, Duration patience, Function<ActorRef<A>, Q> cancel) {
    return start(asked, type, question, Optional.of(patience), self -> Optional.of(cancel.apply(self)));
  }

  private <Q, A> CompletionStage<Optional<A>> start(
      ActorRef<Q> asked,
      Class<A> type,
      Function<ActorRef<A>, Q> question,
      Optional<Duration> patience,
      Function<ActorRef<A>, Optional<Q>> cancel) {
    if (!places.tryAcquire()) {
      throw ApiError.busy();
    }
    CompletableFuture<Optional<A>> answer = new CompletableFuture<>();
    Behavior<Object> asking =
        Behaviors.setup(
            context -> {
              ActorRef<A> self = context.getSelf().narrow();
              context.watchWith(asked, Event.STOPPED);
              patience.ifPresent(time -> context.setReceiveTimeout(time, Event.GIVEN_UP));
              asked.tell(question.apply(self));
              return Behaviors.receiveMessage(
                  message -> {
                    if (message == Event.GIVEN_UP) {
                      cancel.apply(self).ifPresent(asked::tell);
                    }
                    places.release();
                    answer.complete(message instanceof Event ? Optional.empty() : Optional.of(type.cast(message)));
                    return Behaviors.stopped();
                  });
            });
    try {
      system.systemActorOf(asking, "admin-asks-" + kind + "-" + count.incrementAndGet(), Props.empty());
    } catch (IllegalStateException e) {
      places.release();
      throw ApiError.of(503, "shutting_down", "the broker is stopping");
    }
    return answer;
  }
}
