package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import kaka.group.EpochMember;
import kaka.group.GroupHandle;
import kaka.group.GroupType;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.protocol.Errors;

/** What is committed, by topic names: the coordinator knows topics by their ids. */
final class GroupOffsets {
  private final GroupHandle groups;
  private final Topics topics;
  private final boolean isById;

  GroupOffsets(Call call) {
    this.groups = call.services().groups();
    this.topics = call.topics();
    this.isById = call.version() >= 10;
  }

  Errors error() {
    return KafkaErrors.of(groups);
  }

  /** Why a member of a group of the newer protocol cannot have them; it knows its epoch from the coordinator's answer. */
  Errors fence(OffsetFetchRequestGroup asked) {
    boolean isFromOutside = (asked.memberId() == null || asked.memberId().isEmpty()) && asked.memberEpoch() < 0;
    if (isFromOutside || groups.offsets().type(asked.groupId()) != GroupType.CONSUMER) {
      return Errors.NONE;
    }
    Optional<EpochMember> member = Optional.ofNullable(asked.memberId()).flatMap(id -> groups.offsets().member(asked.groupId(), id));
    if (member.isEmpty()) {
      return Errors.UNKNOWN_MEMBER_ID;
    }
    return member.get().epoch() == asked.memberEpoch() ? Errors.NONE : Errors.STALE_MEMBER_EPOCH;
  }

  int countOf(String group) {
    return groups.offsets().countOf(group);
  }

  boolean isKnown(Uuid topicId) {
    return topics.find("", topicId).isPresent();
  }

  Optional<StoredOffset> find(String group, String name, Uuid topicId, int partition) {
    return topics
        .find(name, topicId)
        .filter(route -> route.partition(partition).isPresent())
        .flatMap(route -> groups.offsets().find(group, new TopicIdPartition(route.topic().id(), partition)));
  }

  /** Whether an open transaction may commit another offset there. */
  boolean isPending(String group, String name, Uuid topicId, int partition) {
    return topics
        .find(name, topicId)
        .filter(route -> groups.offsets().isPending(group, new TopicIdPartition(route.topic().id(), partition)))
        .isPresent();
  }

  /** Everything that the group has committed for topics that exist, as if it had been asked for. */
  List<OffsetFetchRequestTopics> topicsOf(String group) {
    Map<String, OffsetFetchRequestTopics> found = new TreeMap<>();
    for (TopicIdPartition partition : groups.offsets().of(group).keySet()) {
      Optional<TopicRoute> route = topics.table().find(partition.topicId());
      route.ifPresent(
          each ->
              found
                  .computeIfAbsent(each.topic().name(), name -> topic(each))
                  .partitionIndexes()
                  .add(partition.partition()));
    }
    found.values().forEach(topic -> topic.partitionIndexes().sort(null));
    return new ArrayList<>(found.values());
  }

  private OffsetFetchRequestTopics topic(TopicRoute route) {
    return isById
        ? new OffsetFetchRequestTopics().setTopicId(Topics.id(route.topic().id()))
        : new OffsetFetchRequestTopics().setName(route.topic().name());
  }
}
