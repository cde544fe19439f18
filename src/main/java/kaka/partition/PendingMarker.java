package kaka.partition;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import kaka.log.MarkerCheck;
import kaka.log.PartitionLog;

/** The end of a transaction while it waits for its commit, also one that was written before and may be in the pending one. */
final class PendingMarker implements PendingReply {
  private final long correlationId;
  private final ActorRef<PartitionReply> replyTo;
  private final boolean isFenced;

  private PendingMarker(PartitionActor.EndTransaction end, boolean isFenced) {
    this.correlationId = end.correlationId();
    this.replyTo = end.replyTo();
    this.isFenced = isFenced;
  }

  /** Has {@code log} stage the marker, unless there is nothing to end; not durable before its next flush. */
  static PendingMarker stage(PartitionLog log, PartitionActor.EndTransaction end) throws IOException {
    MarkerCheck check = log.check(end.marker());
    if (check == MarkerCheck.WRITE) {
      log.append(end.marker()); // also where the disk is nearly full: it is small, and frees those who wait for it
    }
    return new PendingMarker(end, check == MarkerCheck.FENCED);
  }

  /** The coordinator forgets the transaction then, and nobody would end it again. */
  @Override
  public boolean isDurable() {
    return true;
  }

  @Override
  public void acknowledge() {
    replyTo.tell(
        isFenced
            ? new PartitionReply.Refused(correlationId, Refusal.FENCED_PRODUCER)
            : new PartitionReply.TransactionEnded(correlationId));
  }

  @Override
  public void refuse(Refusal reason) {
    replyTo.tell(new PartitionReply.Refused(correlationId, reason));
  }
}
