package kaka.kafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import kaka.connection.Exchange;
import kaka.group.EpochMember;
import kaka.group.GroupPhase;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.PartitionSet;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.Member;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.Errors;

/** CONSUMER_GROUP_DESCRIBE (KIP-848): a group that does not exist, or is of the classic protocol, is not found. */
final class ConsumerGroupDescribeApi implements Api {
  private static final byte MEMBER_OF_THIS_PROTOCOL = 1;

  @Override
  public Exchange handle(Call call) {
    List<String> names = call.request(ConsumerGroupDescribeRequestData.class).groupIds().stream().distinct().toList();
    return GroupQuestion.answer(
        call,
        new GroupRequest.DescribeEpochGroups(names),
        result -> response((GroupResult.EpochGroupsDescribed) result),
        (error, message) -> {
          ConsumerGroupDescribeResponseData response = new ConsumerGroupDescribeResponseData();
          names.forEach(name -> response.groups().add(failed(name, error, message)));
          return response;
        });
  }

  private static DescribedGroup failed(String name, Errors error, String message) {
    return new DescribedGroup().setGroupId(name).setErrorCode(error.code()).setErrorMessage(message);
  }

  private static ConsumerGroupDescribeResponseData response(GroupResult.EpochGroupsDescribed described) {
    ConsumerGroupDescribeResponseData response = new ConsumerGroupDescribeResponseData();
    for (GroupResult.EpochDescription group : described.groups()) {
      response.groups().add(group(group, described.topics()));
    }
    return response;
  }

  private static DescribedGroup group(GroupResult.EpochDescription group, kaka.group.Topics topics) {
    if (group.phase() == GroupPhase.DEAD) {
      return failed(group.group(), Errors.GROUP_ID_NOT_FOUND, "no consumer group '" + group.group() + "'");
    }
    List<Member> members = new ArrayList<>();
    group.members().forEach(member -> members.add(member(member.member(), member.target(), topics)));
    return new DescribedGroup()
        .setGroupId(group.group())
        .setGroupState(group.phase().text())
        .setGroupEpoch(group.epoch())
        .setAssignmentEpoch(group.epoch())
        .setAssignorName(group.assignor())
        .setMembers(members);
  }

  private static Member member(EpochMember member, PartitionSet target, kaka.group.Topics topics) {
    return new Member()
        .setMemberId(member.id())
        .setInstanceId(member.instanceId().orElse(null))
        .setRackId(member.rackId().orElse(null))
        .setMemberEpoch(member.epoch())
        .setClientId(member.clientId())
        .setClientHost(member.clientHost())
        .setSubscribedTopicNames(member.subscription().topics())
        .setSubscribedTopicRegex(member.subscription().pattern().orElse(null))
        .setAssignment(assignment(member.assigned(), topics))
        .setTargetAssignment(assignment(target, topics))
        .setMemberType(MEMBER_OF_THIS_PROTOCOL);
  }

  /** Of topics that exist. */
  private static Assignment assignment(PartitionSet partitions, kaka.group.Topics topics) {
    List<TopicPartitions> named = new ArrayList<>();
    for (UUID topic : partitions.topicIds()) {
      Optional<String> name = topics.nameOf(topic);
      name.ifPresent(
          each ->
              named.add(
                  new TopicPartitions()
                      .setTopicId(Topics.id(topic))
                      .setTopicName(each)
                      .setPartitions(Arrays.stream(partitions.of(topic)).boxed().toList())));
    }
    return new Assignment().setTopicPartitions(named);
  }
}
