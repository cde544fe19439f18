package kaka.group;

import akka.actor.typed.ActorRef;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import kaka.log.CleanUp;

/** Who waits for the coordinator's answer to what; bounded by the windows of the connections. Belongs to the coordinator's actor. */
final class PendingAsks {
  private record Asker(long correlationId, ActorRef<GroupReply> replyTo) {}

  private final Map<Long, GroupCoordinator.Ask> asked = new HashMap<>(); // by ticket
  private final Map<Asker, Long> tickets = new HashMap<>();
  private long nextTicket;

  /** @return the ticket under which it is answered */
  long add(GroupCoordinator.Ask ask) {
    long ticket = nextTicket++;
    asked.put(ticket, ask);
    tickets.put(new Asker(ask.correlationId(), ask.replyTo()), ticket);
    return ticket;
  }

  /** Nothing if nobody waits for that answer any more. */
  void answer(long ticket, GroupResult result) {
    GroupCoordinator.Ask ask = asked.remove(ticket);
    if (ask != null) {
      tickets.remove(new Asker(ask.correlationId(), ask.replyTo()));
      answer(ask, result);
    }
  }

  void answer(Decision decision) {
    decision.answers().forEach(each -> answer(each.ticket(), each.result()));
  }

  /** Instead of what was decided. */
  void refuse(Decision decision, GroupError reason, String detail) {
    decision.answers().forEach(each -> answer(each.ticket(), new GroupResult.Refused(reason, detail)));
  }

  static void answer(GroupCoordinator.Ask ask, GroupResult result) {
    ask.onAnswered().run();
    ask.replyTo().tell(new GroupReply(ask.correlationId(), result));
  }

  /** @return its ticket, if it was not answered */
  Optional<Long> cancel(GroupCoordinator.Cancel cancel) {
    Long ticket = tickets.remove(new Asker(cancel.correlationId(), cancel.replyTo()));
    if (ticket != null) {
      asked.remove(ticket).onAnswered().run();
    }
    return Optional.ofNullable(ticket);
  }

  /** The coordinator ends: whoever waits hears of that by watching it. */
  void end() {
    CleanUp cleanUp = new CleanUp();
    asked.values().forEach(ask -> cleanUp.step(ask.onAnswered()));
    asked.clear();
    cleanUp.end();
  }
}
