package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.Opaque;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;

/** SYNC_GROUP: the member's assignment, once the leader's has come. */
final class SyncGroupApi implements Api {
  @Override
  public Exchange handle(Call call) {
    SyncGroupRequestData request = call.request(SyncGroupRequestData.class);
    List<GroupRequest.Assignment> assignments = new ArrayList<>();
    request
        .assignments()
        .forEach(each -> assignments.add(new GroupRequest.Assignment(each.memberId(), Opaque.of(each.assignment()))));
    GroupRequest sync =
        new GroupRequest.Sync(
            request.groupId(),
            request.generationId(),
            request.memberId(),
            Optional.ofNullable(request.groupInstanceId()),
            Optional.ofNullable(request.protocolType()),
            Optional.ofNullable(request.protocolName()),
            assignments);
    return GroupQuestion.answer(
        call,
        sync,
        result -> response((GroupResult.Synced) result),
        (error, message) -> new SyncGroupResponseData().setErrorCode(error.code()));
  }

  private static SyncGroupResponseData response(GroupResult.Synced synced) {
    return new SyncGroupResponseData()
        .setProtocolType(synced.protocolType())
        .setProtocolName(synced.protocol())
        .setAssignment(synced.assignment().toByteArray());
  }
}
