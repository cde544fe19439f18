package kaka.kafka;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.group.GroupPhase;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;

/** LIST_GROUPS: from version 4 on those in certain states, from 5 on of certain types. */
final class ListGroupsApi implements Api {
  private static final String TYPE = "classic";

  @Override
  public Exchange handle(Call call) {
    ListGroupsRequestData request = call.request(ListGroupsRequestData.class);
    Set<GroupPhase> phases = EnumSet.noneOf(GroupPhase.class);
    for (GroupPhase phase : GroupPhase.values()) {
      if (contains(request.statesFilter(), phase.text())) {
        phases.add(phase);
      }
    }
    boolean isType = request.typesFilter().isEmpty() || contains(request.typesFilter(), TYPE);
    if (!isType || phases.isEmpty() && !request.statesFilter().isEmpty()) {
      return Answer.of(call, new ListGroupsResponseData());
    }
    return GroupQuestion.answer(
        call,
        new GroupRequest.ListGroups(phases),
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
                  .setGroupType(TYPE));
    }
    return response;
  }
}
