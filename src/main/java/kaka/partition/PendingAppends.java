package kaka.partition;

import java.util.ArrayList;
import java.util.List;

/**
 * The appends, and ends of transactions, that the next commit covers, in their order; bounded by the credit of those who asked, and
 * by the transactions there are. Has the partition's actor.
 */
final class PendingAppends {
  private final List<PendingReply> appends = new ArrayList<>();

  boolean isEmpty() {
    return appends.isEmpty();
  }

  void add(PendingReply staged) {
    appends.add(staged);
  }

  /** The commit is done. */
  void acknowledge() {
    appends.forEach(PendingReply::acknowledge);
    appends.clear();
  }

  /** The commit will not be. */
  void refuse(Refusal reason) {
    appends.forEach(append -> append.refuse(reason));
    appends.clear();
  }
}
