package kaka.partition;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionActor.AwaitRecords;
import kaka.partition.PartitionActor.CancelAwait;

/** Those who wait for more to read than up to an offset, each answered once; bounded by who may ask. Has the partition's actor. */
final class WaitingFetches {
  private final List<AwaitRecords> waiting = new ArrayList<>();

  /** Answers at once if there is something. */
  void await(AwaitRecords await, Optional<LogSnapshot> shown) {
    if (shown.isPresent() && isThere(await, shown.get())) {
      answer(await);
    } else {
      waiting.add(await);
    }
  }

  void remove(CancelAwait cancel) {
    waiting.removeIf(
        await -> await.correlationId() == cancel.correlationId() && await.replyTo().equals(cancel.replyTo()));
  }

  /** Answers those that there is something for now. */
  void advance(LogSnapshot snapshot) {
    for (Iterator<AwaitRecords> each = waiting.iterator(); each.hasNext(); ) {
      AwaitRecords await = each.next();
      if (isThere(await, snapshot)) {
        each.remove();
        answer(await);
      }
    }
  }

  private static boolean isThere(AwaitRecords await, LogSnapshot snapshot) {
    return await.isolation().of(snapshot).highWatermark() > await.offset();
  }

  /** The partition's state changes: each may look for itself. */
  void answerAll() {
    waiting.forEach(WaitingFetches::answer);
    waiting.clear();
  }

  static void answer(AwaitRecords await) {
    await.replyTo().tell(new PartitionReply.Advanced(await.correlationId()));
  }
}
