package kaka.kafka;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.group.GroupPhase;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.GroupType;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;

/** LIST_GROUPS: from version 4 on those in certain states, from 5 on of certain types. */
final class ListGroupsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    ListGroupsRequestData request = call.request(ListGroupsRequestData.class);
    Set<GroupPhase> phases = EnumSet.noneOf(GroupPhase.class);
    for (GroupPhase phase : GroupPhase.values()) {
      if (contains(request.statesFilter(), phase.text())) {
        phases.add(phase);
      }
    }
    Set<GroupType> types = EnumSet.noneOf(GroupType.class);
    for (GroupType type : GroupType.values()) {
      if (contains(request.typesFilter(), type.text())) {
        types.add(type);
      }
    }
    boolean isNoType = types.isEmpty() && !request.typesFilter().isEmpty();
    if (isNoType || phases.isEmpty() && !request.statesFilter().isEmpty()) {
      return Answer.of(call, new ListGroupsResponseData());
    }
    return GroupQuestion.answer(
        call,
        new GroupRequest.ListGroups(phases, types),
        result -> response((GroupResult.GroupsListed) result),
        (error, message) -> new ListGroupsResponseData().setErrorCode(error.code()));
  }

  private static boolean contains(List<String> names, String name) {
    return names.stream().anyMatch(name::equalsIgnoreCase);
  }

  private static ListGroupsResponseData response(GroupResult.GroupsListed listed) {
    ListGroupsResponseData response = new ListGroupsResponseData();
    for (GroupResult.Listing group : listed.groups()) {
      response
          .groups()
          .add(
              new ListedGroup()
                  .setGroupId(group.group())
                  .setProtocolType(group.protocolType())
                  .setGroupState(group.phase().text())
                  .setGroupType(group.type().text()));
    }
    return response;
  }
}
