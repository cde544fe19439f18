package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.log.RecordsDeletion;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** DELETE_RECORDS: everything before an offset, each partition by its owner; answered when that is on disk. */
final class DeleteRecordsApi implements Api {
  private static final long NONE = -1;

  @Override
  public Exchange handle(Call call) {
    return call.side().blockOn(new Answer(call, answer -> new Deletion(call, answer).start()));
  }

  private static final class Deletion {
    private final Call call;
    private final Answer answer;
    private final DeleteRecordsResponseData response = new DeleteRecordsResponseData();
    private int openCount = 1; // until all are asked

    Deletion(Call call, Answer answer) {
      this.call = call;
      this.answer = answer;
    }

    void start() {
      Topics topics = call.topics();
      for (DeleteRecordsTopic topic : call.request(DeleteRecordsRequestData.class).topics()) {
        Optional<TopicRoute> route = topics.table().find(topic.name());
        DeleteRecordsTopicResult result = new DeleteRecordsTopicResult().setName(topic.name());
        for (DeleteRecordsPartition partition : topic.partitions()) {
          DeleteRecordsPartitionResult outcome =
              new DeleteRecordsPartitionResult().setPartitionIndex(partition.partitionIndex()).setLowWatermark(NONE);
          result.partitions().mustAdd(outcome);
          ask(route.flatMap(found -> found.partition(partition.partitionIndex())), partition.offset(), outcome);
        }
        response.topics().mustAdd(result);
      }
      settled();
    }

    private void ask(Optional<PartitionHandle> partition, long offset, DeleteRecordsPartitionResult outcome) {
      if (partition.isEmpty()) {
        outcome.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
      } else if (offset < RecordsDeletion.ALL) {
        outcome.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
      } else {
        openCount++;
        long id = call.connection().expect(new Question(partition.get(), outcome));
        partition.get().actor().tell(new PartitionActor.DeleteRecords(offset, id, call.connection().partitionReplies()));
      }
    }

    private void settled() {
      openCount--;
      if (openCount == 0) {
        answer.complete(response);
      }
    }

    private final class Question implements ReplyTarget {
      private final PartitionHandle partition;
      private final DeleteRecordsPartitionResult outcome;

      Question(PartitionHandle partition, DeleteRecordsPartitionResult outcome) {
        this.partition = partition;
        this.outcome = outcome;
      }

      @Override
      public void onPartitionReply(PartitionReply reply) {
        if (reply instanceof PartitionReply.DeletionDecided decided) {
          decide(decided.decision());
        } else if (reply instanceof PartitionReply.Refused refused) {
          outcome.setErrorCode(KafkaErrors.of(refused.reason()).code());
        } else {
          throw new IllegalStateException("not asked for: " + reply);
        }
        settled();
      }

      private void decide(RecordsDeletion decision) {
        if (decision instanceof RecordsDeletion.Deleted deleted) {
          outcome.setLowWatermark(deleted.logStartOffset());
        } else if (decision instanceof RecordsDeletion.AboveHighWatermark) {
          outcome.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else if (decision instanceof RecordsDeletion.Compacted) {
          outcome.setErrorCode(Errors.POLICY_VIOLATION.code());
        } else {
          outcome.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
        }
      }

      @Override
      public void onStopped() {
        outcome.setErrorCode(KafkaErrors.unusable(call.services().routes().table(), partition).code());
        settled();
      }

      @Override
      public ActorRef<?> asked() {
        return partition.actor();
      }
    }
  }
}
