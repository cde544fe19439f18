package kaka.kafka;

import java.util.Optional;
import kaka.connection.Exchange;
import kaka.group.GroupRequest;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;

/** HEARTBEAT: the member is alive, and hears of a rebalance. */
final class HeartbeatApi implements Api {
  @Override
  public Exchange handle(Call call) {
    HeartbeatRequestData request = call.request(HeartbeatRequestData.class);
    GroupRequest heartbeat =
        new GroupRequest.Heartbeat(
            request.groupId(),
            request.generationId(),
            request.memberId(),
            Optional.ofNullable(request.groupInstanceId()));
    return GroupQuestion.answer(
        call,
        heartbeat,
        alive -> new HeartbeatResponseData(),
        (error, message) -> new HeartbeatResponseData().setErrorCode(error.code()));
  }
}
