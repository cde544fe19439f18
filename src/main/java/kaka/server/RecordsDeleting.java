package kaka.server;

import akka.actor.typed.ActorRef;
import kaka.connection.AwaitedExchange;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.log.RecordsDeletion;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.protocol.DeleteRecords;
import kaka.protocol.DeleteRecordsReply;
import kaka.protocol.ErrorCode;

/** A DELETE_RECORDS on its way: asked of the partition when its turn comes, answered with what the partition decided. */
final class RecordsDeleting implements ReplyTarget {
  private final Connection connection;
  private final PartitionHandle partition;
  private final DeleteRecords request;
  private final AwaitedExchange exchange;
  private final Runnable onDone;

  private RecordsDeleting(
      Connection connection,
      PartitionHandle partition,
      DeleteRecords request,
      AwaitedExchange exchange,
      Runnable onDone) {
    this.connection = connection;
    this.partition = partition;
    this.request = request;
    this.exchange = exchange;
    this.onDone = onDone;
  }

  /** @param onDone called when the partition has answered, or cannot */
  static Exchange exchange(
      Connection connection, PartitionHandle partition, DeleteRecords request, int bodyBytes, Runnable onDone) {
    return new AwaitedExchange(
        bodyBytes,
        exchange -> {
          RecordsDeleting deleting = new RecordsDeleting(connection, partition, request, exchange, onDone);
          long id = connection.expect(deleting);
          partition.actor().tell(new PartitionActor.DeleteRecords(offset(request), id, connection.partitionReplies()));
        });
  }

  private static long offset(DeleteRecords request) {
    return request.beforeOffset() == DeleteRecords.ALL ? RecordsDeletion.ALL : request.beforeOffset();
  }

  @Override
  public ActorRef<?> asked() {
    return partition.actor();
  }

  @Override
  public void onStopped() {
    finish(Answers.unusable(connection.services().routes().table(), partition));
  }

  @Override
  public void onPartitionReply(PartitionReply reply) {
    if (reply instanceof PartitionReply.DeletionDecided decided) {
      finish(answer(decided.decision()));
    } else if (reply instanceof PartitionReply.Refused refused) {
      finish(Answers.error(refused.reason()));
    } else {
      throw new IllegalStateException("not asked for: " + reply);
    }
  }

  private byte[] answer(RecordsDeletion decision) {
    if (decision instanceof RecordsDeletion.Deleted deleted) {
      return new DeleteRecordsReply(deleted.logStartOffset()).toFrame();
    }
    if (decision instanceof RecordsDeletion.AboveHighWatermark above) {
      String what = "offset " + request.beforeOffset() + " of " + partition.id() + " is beyond its end, " + above.highWatermark();
      return Answers.error(ErrorCode.OFFSET_OUT_OF_RANGE, what);
    }
    if (decision instanceof RecordsDeletion.NotKnownSynced failed) {
      String what = partition.id() + " failed: only what is before offset " + failed.deletableOffset() + " can be deleted";
      return Answers.error(ErrorCode.STORAGE, what);
    }
    String what = "topic '" + partition.id().topic() + "' is compacted: its records can be deleted by tombstones, or"
        + " with cleanup.policy=compact,delete";
    return Answers.error(ErrorCode.POLICY_VIOLATION, what);
  }

  private void finish(byte[] frame) {
    exchange.complete(frame);
    onDone.run();
  }
}
