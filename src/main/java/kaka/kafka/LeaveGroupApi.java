package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;

/** LEAVE_GROUP: from version 3 on for several members at once. */
final class LeaveGroupApi implements Api {
  private static final int FIRST_WITH_SEVERAL = 3;

  @Override
  public Exchange handle(Call call) {
    LeaveGroupRequestData request = call.request(LeaveGroupRequestData.class);
    List<GroupRequest.Leaving> leaving = new ArrayList<>();
    if (call.version() < FIRST_WITH_SEVERAL) {
      leaving.add(new GroupRequest.Leaving(request.memberId(), Optional.empty()));
    }
    for (MemberIdentity member : request.members()) {
      leaving.add(new GroupRequest.Leaving(member.memberId(), Optional.ofNullable(member.groupInstanceId())));
    }
    return GroupQuestion.answer(
        call,
        new GroupRequest.Leave(request.groupId(), leaving),
        result -> response(call, (GroupResult.Left) result),
        (error, message) -> new LeaveGroupResponseData().setErrorCode(error.code()));
  }

  private static LeaveGroupResponseData response(Call call, GroupResult.Left left) {
    if (call.version() < FIRST_WITH_SEVERAL) {
      return new LeaveGroupResponseData().setErrorCode(KafkaErrors.codeOf(left.members().get(0).error()));
    }
    List<MemberResponse> members = new ArrayList<>();
    for (GroupResult.LeftMember member : left.members()) {
      members.add(
          new MemberResponse()
              .setMemberId(member.memberId())
              .setGroupInstanceId(member.instanceId().orElse(null))
              .setErrorCode(KafkaErrors.codeOf(member.error())));
    }
    return new LeaveGroupResponseData().setMembers(members);
  }
}
