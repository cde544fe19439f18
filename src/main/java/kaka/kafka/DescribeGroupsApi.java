package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import kaka.connection.Exchange;
import kaka.group.GroupPhase;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.GroupType;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.protocol.Errors;

/**
 * DESCRIBE_GROUPS, of the classic protocol: a group that does not exist, or is of the newer one, is dead, or, from version 6 on, not
 * found.
 */
final class DescribeGroupsApi implements Api {
  private static final int FIRST_WITH_NOT_FOUND = 6;

  @Override
  public Exchange handle(Call call) {
    DescribeGroupsRequestData request = call.request(DescribeGroupsRequestData.class);
    return GroupQuestion.answer(
        call,
        new GroupRequest.DescribeGroups(request.groups()),
        result -> response(call, (GroupResult.GroupsDescribed) result),
        (error, message) -> failed(request, error));
  }

  private static DescribeGroupsResponseData response(Call call, GroupResult.GroupsDescribed described) {
    DescribeGroupsResponseData response = new DescribeGroupsResponseData();
    for (GroupResult.Description group : described.groups()) {
      boolean isOther = group.type() != GroupType.CLASSIC;
      DescribedGroup result =
          isOther ? new DescribedGroup().setGroupId(group.group()).setGroupState(GroupPhase.DEAD.text()) : group(group);
      if ((isOther || group.phase() == GroupPhase.DEAD) && call.version() >= FIRST_WITH_NOT_FOUND) {
        String message = isOther ? "group '" + group.group() + "' is not a classic group" : "no group '" + group.group() + "'";
        result.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage(message);
      }
      response.groups().add(result);
    }
    return response;
  }

  private static DescribedGroup group(GroupResult.Description group) {
    List<DescribedGroupMember> members = new ArrayList<>();
    for (GroupResult.MemberDescription member : group.members()) {
      members.add(
          new DescribedGroupMember()
              .setMemberId(member.memberId())
              .setGroupInstanceId(member.instanceId().orElse(null))
              .setClientId(member.clientId())
              .setClientHost(member.clientHost())
              .setMemberMetadata(member.metadata().toByteArray())
              .setMemberAssignment(member.assignment().toByteArray()));
    }
    return new DescribedGroup()
        .setGroupId(group.group())
        .setGroupState(group.phase().text())
        .setProtocolType(group.protocolType())
        .setProtocolData(group.protocol())
        .setMembers(members);
  }

  private static DescribeGroupsResponseData failed(DescribeGroupsRequestData request, Errors error) {
    DescribeGroupsResponseData response = new DescribeGroupsResponseData();
    request.groups().forEach(name -> response.groups().add(new DescribedGroup().setGroupId(name).setErrorCode(error.code())));
    return response;
  }
}
