package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;

/** LIST_OFFSETS: the first and last offset of partitions, or the first one from a time on, which reads the disk. */
final class ListOffsetsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    return new Answer(call, answer -> answer(call, answer));
  }

  private static void answer(Call call, Answer answer) {
    ListOffsetsRequestData request = call.request(ListOffsetsRequestData.class);
    ListOffsetsResponseData response = new ListOffsetsResponseData();
    List<OffsetLookup> lookups = new ArrayList<>();
    Topics topics = call.topics();
    for (ListOffsetsTopic topic : request.topics()) {
      Optional<TopicRoute> route = topics.table().find(topic.name());
      ListOffsetsTopicResponse found = new ListOffsetsTopicResponse().setName(topic.name());
      for (ListOffsetsPartition partition : topic.partitions()) {
        ListOffsetsPartitionResponse result =
            new ListOffsetsPartitionResponse().setPartitionIndex(partition.partitionIndex());
        OffsetLookup lookup =
            new OffsetLookup(
                route.flatMap(one -> one.partition(partition.partitionIndex())), partition, KafkaIsolation.of(request.isolationLevel()), call.version(), result);
        if (!lookup.answerAtOnce(topics)) {
          lookups.add(lookup);
        }
        found.partitions().add(result);
      }
      response.topics().add(found);
    }
    lookUp(call, answer, lookups, 0, response);
  }

  /** One partition a task, so that others have the thread in between. */
  private static void lookUp(
      Call call, Answer answer, List<OffsetLookup> lookups, int next, ListOffsetsResponseData response) {
    if (next == lookups.size()) {
      answer.complete(response);
      return;
    }
    call.connection()
        .read(
            () -> {
              if (!answer.hasEnded()) {
                lookups.get(next).read(call);
              }
              return next;
            },
            done -> lookUp(call, answer, lookups, next + 1, response),
            call.connection()::abort);
  }
}
