package kaka.kafka;

import java.util.List;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection;

/** DELETE_GROUPS: those without members, with their offsets. */
final class DeleteGroupsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    List<String> names = call.request(DeleteGroupsRequestData.class).groupsNames().stream().distinct().toList();
    return GroupQuestion.answer(
        call,
        new GroupRequest.DeleteGroups(names),
        result -> {
          DeleteGroupsResponseData response = empty(names.size());
          ((GroupResult.GroupsDeleted) result)
              .errors()
              .forEach((name, error) -> add(response, name, KafkaErrors.codeOf(error)));
          return response;
        },
        (error, message) -> {
          DeleteGroupsResponseData response = empty(names.size());
          names.forEach(name -> add(response, name, error.code()));
          return response;
        });
  }

  private static void add(DeleteGroupsResponseData response, String name, short error) {
    Places.add(response.results(), new DeletableGroupResult().setErrorCode(error), DeletableGroupResult::setGroupId, name);
  }

  private static DeleteGroupsResponseData empty(int count) {
    return new DeleteGroupsResponseData().setResults(new DeletableGroupResultCollection(Places.room(count)));
  }
}
