package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.StoredOffset;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;

/** OFFSET_FETCH: read when its turn comes, so that it sees the commits before it; nobody is asked. From version 8 on for several groups. */
final class OffsetFetchApi implements Api {
  private static final int FIRST_WITH_ERROR = 2;
  private static final int FIRST_WITH_SEVERAL = 8;

  /** What an offset takes as an object, besides its metadata. */
  private static final int OFFSET_BYTES = 192;

  private static final int NONE = -1;

  @Override
  public Exchange handle(Call call) {
    return new Answer(
        call,
        answer -> {
          List<OffsetFetchRequestGroup> groups = groups(call);
          GroupOffsets offsets = new GroupOffsets(call);
          if (answer.reserve(cost(offsets, groups))) {
            answer.complete(call.version() < FIRST_WITH_SEVERAL ? single(call, offsets, groups.get(0)) : several(offsets, groups, isStableWanted(call)));
          }
        });
  }

  /** The form of version 8 and up, whatever the request's. */
  private static List<OffsetFetchRequestGroup> groups(Call call) {
    OffsetFetchRequestData request = call.request(OffsetFetchRequestData.class);
    if (call.version() >= FIRST_WITH_SEVERAL) {
      return request.groups();
    }
    List<OffsetFetchRequestTopics> topics = request.topics() == null ? null : new ArrayList<>();
    if (topics != null) {
      for (OffsetFetchRequestTopic topic : request.topics()) {
        topics.add(new OffsetFetchRequestTopics().setName(topic.name()).setPartitionIndexes(topic.partitionIndexes()));
      }
    }
    return List.of(new OffsetFetchRequestGroup().setGroupId(request.groupId()).setTopics(topics));
  }

  private static long cost(GroupOffsets offsets, List<OffsetFetchRequestGroup> groups) {
    long count = 0;
    for (OffsetFetchRequestGroup group : groups) {
      if (group.topics() == null) {
        count += offsets.countOf(group.groupId());
      } else {
        for (OffsetFetchRequestTopics topic : group.topics()) {
          count += topic.partitionIndexes().size();
        }
      }
    }
    return count * OFFSET_BYTES;
  }

  private static OffsetFetchResponseData several(
      GroupOffsets offsets, List<OffsetFetchRequestGroup> groups, boolean isStableWanted) {
    OffsetFetchResponseData response = new OffsetFetchResponseData();
    groups.forEach(group -> response.groups().add(group(offsets, group, isStableWanted)));
    return response;
  }

  private static boolean isStableWanted(Call call) {
    return call.request(OffsetFetchRequestData.class).requireStable();
  }

  /** @param isStableWanted who is told to ask again where an open transaction may give the group another offset (KIP-447) */
  private static OffsetFetchResponseGroup group(
      GroupOffsets offsets, OffsetFetchRequestGroup asked, boolean isStableWanted) {
    OffsetFetchResponseGroup group = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
    Errors error = offsets.error() == Errors.NONE ? offsets.fence(asked) : offsets.error();
    if (error != Errors.NONE) {
      return group.setErrorCode(error.code());
    }
    List<OffsetFetchRequestTopics> topics = asked.topics() == null ? offsets.topicsOf(asked.groupId()) : asked.topics();
    for (OffsetFetchRequestTopics topic : topics) {
      OffsetFetchResponseTopics found = new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
      boolean isKnown = !Topics.isById(topic.topicId()) || offsets.isKnown(topic.topicId());
      for (int partition : topic.partitionIndexes()) {
        boolean isUnstable = // looked at first: what is not pending any more is found then
            isStableWanted && offsets.isPending(asked.groupId(), topic.name(), topic.topicId(), partition);
        Optional<StoredOffset> stored =
            isUnstable ? Optional.empty() : offsets.find(asked.groupId(), topic.name(), topic.topicId(), partition);
        Errors own = isUnstable ? Errors.UNSTABLE_OFFSET_COMMIT : isKnown ? Errors.NONE : Errors.UNKNOWN_TOPIC_ID;
        found
            .partitions()
            .add(
                new OffsetFetchResponsePartitions()
                    .setPartitionIndex(partition)
                    .setErrorCode(own.code())
                    .setCommittedOffset(stored.map(StoredOffset::offset).orElse((long) NONE))
                    .setCommittedLeaderEpoch(stored.map(StoredOffset::leaderEpoch).orElse(NONE))
                    .setMetadata(stored.map(StoredOffset::metadata).orElse("")));
      }
      group.topics().add(found);
    }
    return group;
  }

  private static OffsetFetchResponseData single(Call call, GroupOffsets offsets, OffsetFetchRequestGroup asked) {
    OffsetFetchResponseGroup group = group(offsets, asked, isStableWanted(call));
    OffsetFetchResponseData response = new OffsetFetchResponseData();
    if (call.version() >= FIRST_WITH_ERROR) {
      response.setErrorCode(group.errorCode());
    } else if (group.errorCode() != Errors.NONE.code()) {
      return failed(asked, group.errorCode());
    }
    for (OffsetFetchResponseTopics topic : group.topics()) {
      OffsetFetchResponseTopic result = new OffsetFetchResponseTopic().setName(topic.name());
      for (OffsetFetchResponsePartitions partition : topic.partitions()) {
        result
            .partitions()
            .add(
                new OffsetFetchResponsePartition()
                    .setPartitionIndex(partition.partitionIndex())
                    .setErrorCode(partition.errorCode())
                    .setCommittedOffset(partition.committedOffset())
                    .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                    .setMetadata(partition.metadata()));
      }
      response.topics().add(result);
    }
    return response;
  }

  /** Version 1 has no error but those of its partitions. */
  private static OffsetFetchResponseData failed(OffsetFetchRequestGroup asked, short error) {
    OffsetFetchResponseData response = new OffsetFetchResponseData();
    List<OffsetFetchRequestTopics> topics = asked.topics() == null ? List.of() : asked.topics();
    for (OffsetFetchRequestTopics topic : topics) {
      OffsetFetchResponseTopic result = new OffsetFetchResponseTopic().setName(topic.name());
      for (int partition : topic.partitionIndexes()) {
        result
            .partitions()
            .add(
                new OffsetFetchResponsePartition()
                    .setPartitionIndex(partition)
                    .setCommittedOffset(NONE)
                    .setMetadata("")
                    .setErrorCode(error));
      }
      response.topics().add(result);
    }
    return response;
  }
}
