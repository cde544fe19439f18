package kaka.kafka;

import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
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
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResultCollection;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** DELETE_RECORDS: everything before an offset, each partition by its owner; answered when that is on disk. */
final class DeleteRecordsApi implements Api {
  private static final long NONE = -1;

  @Override
  public Exchange handle(Call call) {
    return call.side().blockOn(new Answer(call, answer -> delete(call, answer)));
  }

  private static void delete(Call call, Answer answer) {
    List<DeleteRecordsTopic> asked = call.request(DeleteRecordsRequestData.class).topics();
    DeleteRecordsResponseData response =
        new DeleteRecordsResponseData().setTopics(new DeleteRecordsTopicResultCollection(Places.room(asked.size())));
    Questions questions = new Questions(call);
    Topics topics = call.topics();
    for (DeleteRecordsTopic topic : asked) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      DeleteRecordsTopicResult result =
          new DeleteRecordsTopicResult()
              .setPartitions(new DeleteRecordsPartitionResultCollection(Places.room(topic.partitions().size())));
      for (DeleteRecordsPartition partition : topic.partitions()) {
        DeleteRecordsPartitionResult outcome = new DeleteRecordsPartitionResult().setLowWatermark(NONE);
        Places.add(result.partitions(), outcome, DeleteRecordsPartitionResult::setPartitionIndex, partition.partitionIndex());
        Optional<PartitionHandle> handle = route.flatMap(found -> found.partition(partition.partitionIndex()));
        if (handle.isEmpty()) {
          outcome.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else if (partition.offset() < RecordsDeletion.ALL) {
          outcome.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else {
          questions.askPartition(
              handle.get(),
              id -> new PartitionActor.DeleteRecords(partition.offset(), id, call.connection().partitionReplies()),
              reply -> decide(outcome, reply),
              error -> outcome.setErrorCode(error.code()));
        }
      }
      Places.add(response.topics(), result, DeleteRecordsTopicResult::setName, topic.name());
    }
    questions.whenAnswered(() -> answer.complete(response));
  }

  private static void decide(DeleteRecordsPartitionResult outcome, PartitionReply reply) {
    RecordsDeletion decision = ((PartitionReply.DeletionDecided) reply).decision();
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
}
