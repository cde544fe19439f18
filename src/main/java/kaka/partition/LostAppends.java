package kaka.partition;

import akka.actor.DeadLetter;
import akka.actor.typed.Behavior;
import akka.actor.typed.eventstream.EventStream;
import akka.actor.typed.javadsl.Behaviors;

/**
 * Releases what was charged for appends that no partition will ever see: those that were in, or on the way to, the mailbox of
 * one that has stopped. One per actor system. Who sent them hears of it by watching the partition.
 */
public final class LostAppends {
  private LostAppends() {}

  public static Behavior<DeadLetter> create() {
    return Behaviors.setup(
        context -> {
          context.getSystem().eventStream().tell(new EventStream.Subscribe<>(DeadLetter.class, context.getSelf()));
          return Behaviors.receiveMessage(
              letter -> {
                if (letter.message() instanceof PartitionActor.Append append) {
                  append.charge().release();
                }
                return Behaviors.same();
              });
        });
  }
}
