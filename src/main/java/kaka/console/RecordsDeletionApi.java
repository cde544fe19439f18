package kaka.console;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import kaka.log.RecordsDeletion;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;

/** Deletes the records of a partition before an offset, which the partition decides. */
final class RecordsDeletionApi {
  private final BrokerFacts facts;
  private final Questions questions;

  RecordsDeletionApi(BrokerFacts facts, Questions questions) {
    this.facts = facts;
    this.questions = questions;
  }

  CompletionStage<ApiAnswer> delete(ApiCall call) {
    long before = before(call.body().only("before_offset"));
    PartitionHandle handle = TopicsApi.find(facts.routes().table(), call.partition());
    return questions
        .ask(
            handle.actor(),
            PartitionReply.class,
            (ActorRef<PartitionReply> self) -> new PartitionActor.DeleteRecords(before, 0, self))
        .thenApply(reply -> answer(handle, reply));
  }

  private static long before(JsonFields body) {
    if (body.isText("before_offset")) {
      if (!body.needText("before_offset").equals("all")) {
        throw body.expected("before_offset", "an offset, or \"all\"");
      }
      return RecordsDeletion.ALL;
    }
    return body.needNumber("before_offset", 0, Long.MAX_VALUE);
  }

  private static ApiAnswer answer(PartitionHandle handle, Optional<PartitionReply> reply) {
    if (reply.isPresent() && reply.get() instanceof PartitionReply.Refused refused) {
      throw ProduceApi.of(refused.reason());
    }
    if (reply.isEmpty() || !(reply.get() instanceof PartitionReply.DeletionDecided decided)) {
      throw ApiError.unavailable("the partition has stopped");
    }
    if (decided.decision() instanceof RecordsDeletion.Deleted deleted) {
      return ApiAnswer.ok(
          new JsonWriter()
              .put("topic", handle.id().topic())
              .put("partition", handle.id().partition())
              .put("log_start", deleted.logStartOffset()));
    }
    if (decided.decision() instanceof RecordsDeletion.AboveHighWatermark above) {
      throw ApiError.badRequest("before_offset: " + handle.id() + " ends at " + above.highWatermark());
    }
    if (decided.decision() instanceof RecordsDeletion.NotKnownSynced failed) {
      throw ApiError.storage(handle.id() + " failed: only what is before offset " + failed.deletableOffset() + " can be deleted");
    }
    throw ApiError.badRequest("topic '" + handle.id().topic() + "' is compacted: delete records by tombstones, or set"
        + " cleanup.policy=compact,delete");
  }
}
