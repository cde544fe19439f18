package kaka.partition;

import java.util.ArrayList;
import java.util.List;

/** The appends that the next commit covers, in their order; bounded by the credit of those who asked. Has the partition's actor. */
final class PendingAppends {
  private final List<PendingAppend> appends = new ArrayList<>();

  boolean isEmpty() {
    return appends.isEmpty();
  }

  void add(PendingAppend staged) {
    appends.add(staged);
  }

  /** The commit is done. */
  void acknowledge() {
    appends.forEach(PendingAppend::acknowledge);
    appends.clear();
  }

  /** The commit will not be. */
  void refuse(Refusal reason) {
    appends.forEach(append -> append.refuse(reason));
    appends.clear();
  }
}
