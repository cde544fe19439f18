package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.Opaque;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** JOIN_GROUP: answered when every member has joined the next generation. */
final class JoinGroupApi implements Api {
  private static final int FIRST_WITH_REBALANCE_TIMEOUT = 1;

  /** KIP-394: from here on a member that has no id yet is given one first. */
  private static final int FIRST_WITH_REQUIRED_ID = 4;

  private static final int FIRST_WITHOUT_PROTOCOL_NAME = 7;

  /** KIP-814. */
  private static final int FIRST_WITH_SKIPPED_ASSIGNMENT = 9;

  private static final int NO_GENERATION = -1;

  @Override
  public Exchange handle(Call call) {
    JoinGroupRequestData request = call.request(JoinGroupRequestData.class);
    if (request.protocolType().isEmpty() || request.protocols().isEmpty()) {
      return Answer.of(call, failed(call, request.memberId(), Errors.INCONSISTENT_GROUP_PROTOCOL));
    }
    return GroupQuestion.answer(
        call,
        join(call, request),
        result -> response(call, result),
        (error, message) -> failed(call, request.memberId(), error));
  }

  private static GroupRequest.Join join(Call call, JoinGroupRequestData request) {
    List<GroupRequest.Protocol> protocols = new ArrayList<>();
    request.protocols().forEach(each -> protocols.add(new GroupRequest.Protocol(each.name(), Opaque.of(each.metadata()))));
    return new GroupRequest.Join(
        request.groupId(),
        request.memberId(),
        Optional.ofNullable(request.groupInstanceId()),
        call.clientId(),
        call.clientHost(),
        request.protocolType(),
        protocols,
        request.sessionTimeoutMs(),
        call.version() < FIRST_WITH_REBALANCE_TIMEOUT ? request.sessionTimeoutMs() : request.rebalanceTimeoutMs(),
        call.version() >= FIRST_WITH_REQUIRED_ID,
        call.version() >= FIRST_WITH_SKIPPED_ASSIGNMENT,
        GroupRequest.Assigning.BY_MEMBER);
  }

  private static ApiMessage response(Call call, GroupResult result) {
    if (result instanceof GroupResult.MemberIdRequired required) {
      return failed(call, required.memberId(), Errors.MEMBER_ID_REQUIRED);
    }
    GroupResult.Joined joined = (GroupResult.Joined) result;
    List<JoinGroupResponseMember> members = new ArrayList<>();
    for (GroupResult.JoinedMember member : joined.members()) {
      members.add(
          new JoinGroupResponseMember()
              .setMemberId(member.memberId())
              .setGroupInstanceId(member.instanceId().orElse(null))
              .setMetadata(member.metadata().toByteArray()));
    }
    return new JoinGroupResponseData()
        .setMemberId(joined.memberId())
        .setGenerationId(joined.generation())
        .setProtocolType(joined.protocolType())
        .setProtocolName(joined.protocol())
        .setLeader(joined.leaderId())
        .setSkipAssignment(joined.skipAssignment())
        .setMembers(members);
  }

  private static JoinGroupResponseData failed(Call call, String memberId, Errors error) {
    return new JoinGroupResponseData()
        .setErrorCode(error.code())
        .setMemberId(memberId)
        .setGenerationId(NO_GENERATION)
        .setProtocolName(call.version() < FIRST_WITHOUT_PROTOCOL_NAME ? "" : null);
  }
}
