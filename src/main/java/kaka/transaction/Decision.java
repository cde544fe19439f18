package kaka.transaction;

import java.util.ArrayList;
import java.util.List;
import kaka.record.TransactionMarker;

/**
 * What follows from one request, reply or deadline: first the events are made durable, then the markers and the answers go out.
 * Filled by {@link TransactionState}, not shared between threads.
 */
final class Decision {
  /** @param ticket what the request was handed in under */
  record Answer(long ticket, TransactionResult result) {}

  /** The end of a transaction that a partition is to be told. */
  record Telling(String id, TransactionPartition partition, TransactionMarker marker) {}

  private final List<TransactionEvent> events = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final List<Telling> tellings = new ArrayList<>();

  void store(TransactionEvent event) {
    events.add(event);
  }

  void answer(long ticket, TransactionResult result) {
    answers.add(new Answer(ticket, result));
  }

  void refuse(long ticket, TransactionError reason) {
    answer(ticket, new TransactionResult.Refused(reason));
  }

  void tell(Telling telling) {
    tellings.add(telling);
  }

  List<TransactionEvent> events() {
    return events;
  }

  List<Answer> answers() {
    return answers;
  }

  List<Telling> tellings() {
    return tellings;
  }
}
