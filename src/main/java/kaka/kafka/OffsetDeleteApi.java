package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.TopicIdPartition;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartitionCollection;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopicCollection;
import org.apache.kafka.common.protocol.Errors;

/** OFFSET_DELETE: of topics that no member of the group reads. */
final class OffsetDeleteApi implements Api {
  @Override
  public Exchange handle(Call call) {
    OffsetDeleteRequestData request = call.request(OffsetDeleteRequestData.class);
    OffsetDeleteResponseData response =
        new OffsetDeleteResponseData().setTopics(new OffsetDeleteResponseTopicCollection(Places.room(request.topics().size())));
    List<GroupRequest.NamedPartition> partitions = new ArrayList<>();
    List<OffsetDeleteResponsePartition> outcomes = new ArrayList<>(); // of those partitions
    Topics topics = call.topics();
    for (OffsetDeleteRequestTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      OffsetDeleteResponseTopic result =
          new OffsetDeleteResponseTopic()
              .setPartitions(new OffsetDeleteResponsePartitionCollection(Places.room(topic.partitions().size())));
      for (OffsetDeleteRequestPartition partition : topic.partitions()) {
        int index = partition.partitionIndex();
        OffsetDeleteResponsePartition outcome = new OffsetDeleteResponsePartition();
        Places.add(result.partitions(), outcome, OffsetDeleteResponsePartition::setPartitionIndex, index);
        if (route.flatMap(found -> found.partition(index)).isPresent()) {
          partitions.add(
              new GroupRequest.NamedPartition(topic.name(), new TopicIdPartition(route.get().topic().id(), index)));
          outcomes.add(outcome);
        } else {
          outcome.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
      }
      Places.add(response.topics(), result, OffsetDeleteResponseTopic::setName, topic.name());
    }
    return GroupQuestion.answer(
        call,
        new GroupRequest.DeleteOffsets(request.groupId(), partitions),
        result -> {
          List<Optional<kaka.group.GroupError>> errors = ((GroupResult.OffsetsDeleted) result).errors();
          for (int i = 0; i < outcomes.size(); i++) {
            outcomes.get(i).setErrorCode(KafkaErrors.codeOf(errors.get(i)));
          }
          return response;
        },
        (error, message) -> new OffsetDeleteResponseData().setErrorCode(error.code()));
  }
}
