package kaka.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.PartitionSet;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.protocol.Errors;

/** CONSUMER_GROUP_HEARTBEAT (KIP-848): a member says what it wants and has, and is told what it is to have. */
final class ConsumerGroupHeartbeatApi implements Api {
  /** KIP-1082: from here on the client chooses the member's id. */
  private static final int FIRST_WITH_CLIENTS_ID = 1;

  private static final int JOINING = 0;
  private static final int LEAVING_FOR_A_WHILE = -2;

  @Override
  public Exchange handle(Call call) {
    ConsumerGroupHeartbeatRequestData request = call.request(ConsumerGroupHeartbeatRequestData.class);
    Optional<String> problem = problemOf(call, request);
    if (problem.isPresent()) {
      return Answer.of(call, failed(Errors.INVALID_REQUEST, problem.get()));
    }
    return GroupQuestion.answer(
        call,
        heartbeat(call, request),
        result -> response((GroupResult.Beaten) result),
        ConsumerGroupHeartbeatApi::failed);
  }

  /** Why it is not a heartbeat, whatever the groups are. */
  private static Optional<String> problemOf(Call call, ConsumerGroupHeartbeatRequestData request) {
    int epoch = request.memberEpoch();
    boolean mayLackId = epoch == JOINING && call.version() < FIRST_WITH_CLIENTS_ID;
    boolean isNothingWanted =
        request.subscribedTopicNames() == null && (request.subscribedTopicRegex() == null || request.subscribedTopicRegex().isEmpty());
    if (request.groupId().isEmpty()) {
      return Optional.of("a group's id is not empty");
    } else if (request.memberId().isEmpty() && !mayLackId) {
      return Optional.of("a member's id is not empty");
    } else if (request.instanceId() != null && request.instanceId().isEmpty()) {
      return Optional.of("an instance's id is not empty");
    } else if (request.rackId() != null && request.rackId().isEmpty()) {
      return Optional.of("a rack's id is not empty");
    } else if (epoch < LEAVING_FOR_A_WHILE) {
      return Optional.of("member epoch " + epoch);
    } else if (epoch == LEAVING_FOR_A_WHILE && request.instanceId() == null) {
      return Optional.of("a member without an instance's id cannot leave for a while");
    } else if (epoch == JOINING && request.rebalanceTimeoutMs() < 0) {
      return Optional.of("who joins says a rebalance timeout");
    } else if (epoch == JOINING && (request.topicPartitions() == null || !request.topicPartitions().isEmpty())) {
      return Optional.of("who joins has no partitions");
    } else if (epoch == JOINING && isNothingWanted) {
      return Optional.of("who joins says what topics it wants");
    }
    boolean isGood =
        request.topicPartitions() == null
            || request.topicPartitions().stream().allMatch(topic -> topic.partitions().stream().allMatch(each -> each >= 0));
    return isGood ? Optional.empty() : Optional.of("partition below 0");
  }

  private static GroupRequest heartbeat(Call call, ConsumerGroupHeartbeatRequestData request) {
    int rebalanceTimeoutMs = request.rebalanceTimeoutMs();
    return new GroupRequest.EpochHeartbeat(
        request.groupId(),
        request.memberId(),
        request.memberEpoch(),
        Optional.ofNullable(request.instanceId()),
        Optional.ofNullable(request.rackId()),
        call.clientId(),
        call.clientHost(),
        rebalanceTimeoutMs < 0 ? OptionalInt.empty() : OptionalInt.of(rebalanceTimeoutMs),
        Optional.ofNullable(request.subscribedTopicNames()),
        Optional.ofNullable(request.subscribedTopicRegex()),
        Optional.ofNullable(request.serverAssignor()),
        Optional.ofNullable(request.topicPartitions()).map(ConsumerGroupHeartbeatApi::partitions));
  }

  private static PartitionSet partitions(List<ConsumerGroupHeartbeatRequestData.TopicPartitions> topics) {
    Map<UUID, List<Integer>> partitions = new HashMap<>();
    topics.forEach(topic -> partitions.computeIfAbsent(Topics.id(topic.topicId()), id -> new ArrayList<>()).addAll(topic.partitions()));
    return PartitionSet.of(partitions);
  }

  private static ConsumerGroupHeartbeatResponseData response(GroupResult.Beaten beaten) {
    return new ConsumerGroupHeartbeatResponseData()
        .setMemberId(beaten.memberId())
        .setMemberEpoch(beaten.epoch())
        .setHeartbeatIntervalMs(beaten.heartbeatIntervalMs())
        .setAssignment(beaten.assignment().map(ConsumerGroupHeartbeatApi::assignment).orElse(null));
  }

  private static Assignment assignment(PartitionSet partitions) {
    List<ConsumerGroupHeartbeatResponseData.TopicPartitions> topics = new ArrayList<>();
    for (UUID topic : partitions.topicIds()) {
      topics.add(
          new ConsumerGroupHeartbeatResponseData.TopicPartitions()
              .setTopicId(Topics.id(topic))
              .setPartitions(java.util.Arrays.stream(partitions.of(topic)).boxed().toList()));
    }
    return new Assignment().setTopicPartitions(topics);
  }

  private static ConsumerGroupHeartbeatResponseData failed(Errors error, String message) {
    return new ConsumerGroupHeartbeatResponseData().setErrorCode(error.code()).setErrorMessage(message);
  }
}
