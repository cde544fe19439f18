package kaka.group;

import java.util.ArrayList;
import java.util.List;

/**
 * What follows from one request or deadline: first the events are written and applied, then the answers go out. Filled by
 * {@link GroupState}, not shared between threads.
 */
final class Decision {
  /** @param ticket what the request was handed in under */
  record Answer(long ticket, GroupResult result) {}

  private final List<GroupEvent> events = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private boolean isInOrder;

  void store(GroupEvent event) {
    events.add(event);
  }

  void answer(long ticket, GroupResult result) {
    answers.add(new Answer(ticket, result));
  }

  void refuse(long ticket, GroupError reason) {
    answers.add(new Answer(ticket, new GroupResult.Refused(reason)));
  }

  /** The answers rest on events of decisions before this one: they wait for those to be on disk. */
  void keepOrder() {
    isInOrder = true;
  }

  boolean isInOrder() {
    return isInOrder;
  }

  List<GroupEvent> events() {
    return events;
  }

  List<Answer> answers() {
    return answers;
  }
}
