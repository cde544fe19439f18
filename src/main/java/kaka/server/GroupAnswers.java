package kaka.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import kaka.group.ConsumerProtocol;
import kaka.group.GroupError;
import kaka.group.GroupResult;
import kaka.group.Opaque;
import kaka.protocol.CommitAck;
import kaka.protocol.DeleteGroupReply;
import kaka.protocol.DescribeGroupReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.GroupCommitReply;
import kaka.protocol.GroupPhase;
import kaka.protocol.GroupType;
import kaka.protocol.JoinGroupReply;
import kaka.protocol.LeaveGroupReply;
import kaka.protocol.ListGroupsReply;
import kaka.protocol.ListTypedGroupsReply;
import kaka.protocol.TopicPartitions;

/** What the group coordinator has done, in the native protocol's frames; refusals of a whole request are made before. */
final class GroupAnswers {
  private static final int TOPIC_BYTES = 249;

  private GroupAnswers() {}

  static byte[] joined(GroupResult result) {
    GroupResult.Joined joined = (GroupResult.Joined) result;
    return new JoinGroupReply(joined.memberId(), joined.generation(), joined.protocol(), assignment(joined.assignment()))
        .toFrame();
  }

  /** Bytes that are no assignment, which a leader of Kafka's protocol could have sent, are shown as none. */
  private static List<TopicPartitions> assignment(Opaque bytes) {
    List<TopicPartitions> assignment = new ArrayList<>();
    ConsumerProtocol.partitions(bytes)
        .ifPresent(
            found ->
                found.forEach(
                    (topic, partitions) -> {
                      List<Integer> legal = partitions.stream().filter(partition -> partition >= 0).toList();
                      if (topic.getBytes(StandardCharsets.UTF_8).length <= TOPIC_BYTES) {
                        assignment.add(new TopicPartitions(topic, legal));
                      }
                    }));
    return assignment;
  }

  static byte[] left(GroupResult result) {
    Optional<GroupError> error = ((GroupResult.Left) result).members().get(0).error();
    return error.map(Answers::error).orElseGet(() -> new LeaveGroupReply().toFrame());
  }

  static byte[] committedOne(GroupResult result) {
    Optional<GroupError> error = ((GroupResult.Committed) result).errors().get(0);
    return error.map(Answers::error).orElseGet(() -> new CommitAck().toFrame());
  }

  /** @param known which of the request's partitions exist: the coordinator was asked for those only */
  static byte[] committed(GroupResult result, List<Boolean> known) {
    Iterator<Optional<GroupError>> errors = ((GroupResult.Committed) result).errors().iterator();
    List<Integer> codes = new ArrayList<>();
    for (boolean isKnown : known) {
      if (isKnown) {
        codes.add(errors.next().map(error -> Answers.codeOf(error).code()).orElse(0));
      } else {
        codes.add(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code());
      }
    }
    return new GroupCommitReply(codes).toFrame();
  }

  static byte[] deleted(GroupResult result) {
    Optional<GroupError> error = ((GroupResult.GroupsDeleted) result).errors().values().iterator().next();
    return error.map(Answers::error).orElseGet(() -> new DeleteGroupReply().toFrame());
  }

  static byte[] listed(GroupResult result) {
    return new ListGroupsReply(((GroupResult.GroupsListed) result).groups().stream().map(GroupAnswers::group).toList()).toFrame();
  }

  private static ListGroupsReply.Group group(GroupResult.Listing listing) {
    return new ListGroupsReply.Group(listing.group(), phase(listing.phase()), cut(listing.protocolType()));
  }

  static byte[] listedWithTypes(GroupResult result) {
    return new ListTypedGroupsReply(
            ((GroupResult.GroupsListed) result)
                .groups().stream().map(each -> new ListTypedGroupsReply.Group(type(each.type()), group(each))).toList())
        .toFrame();
  }

  private static GroupType type(kaka.group.GroupType type) {
    return switch (type) {
      case CLASSIC -> GroupType.CLASSIC;
      case CONSUMER -> GroupType.CONSUMER;
    };
  }

  static byte[] described(GroupResult result) {
    GroupResult.Description group = ((GroupResult.GroupsDescribed) result).groups().get(0);
    List<DescribeGroupReply.Member> members = new ArrayList<>();
    for (GroupResult.MemberDescription member : group.members()) {
      members.add(
          new DescribeGroupReply.Member(
              member.memberId(),
              cut(member.instanceId().orElse("")),
              cut(member.clientId()),
              cut(member.clientHost()),
              assignment(member.assignment())));
    }
    return new DescribeGroupReply(
            phase(group.phase()), group.generation(), cut(group.protocolType()), cut(group.protocol()), members)
        .toFrame();
  }

  /** Kafka's clients may call themselves what they like, at any length; here a name has 255 bytes. */
  private static String cut(String name) {
    return name.length() <= 85 ? name : name.substring(0, 85);
  }

  private static GroupPhase phase(kaka.group.GroupPhase phase) {
    return switch (phase) {
      case EMPTY -> GroupPhase.EMPTY;
      case PREPARING_REBALANCE -> GroupPhase.PREPARING_REBALANCE;
      case COMPLETING_REBALANCE -> GroupPhase.COMPLETING_REBALANCE;
      case STABLE -> GroupPhase.STABLE;
      case RECONCILING -> GroupPhase.RECONCILING;
      case DEAD -> GroupPhase.DEAD;
    };
  }
}
