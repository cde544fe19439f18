package kaka.kafka;

import kaka.connection.Exchange;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;

/** FIND_COORDINATOR: this broker, whatever for. From version 4 on for several at once. */
final class FindCoordinatorApi implements Api {
  private static final int FIRST_WITH_SEVERAL = 4;

  /** Groups and transactions. */
  private static final byte MAX_KEY_TYPE = 1;

  @Override
  public Exchange handle(Call call) {
    FindCoordinatorRequestData request = call.request(FindCoordinatorRequestData.class);
    boolean isKnown = request.keyType() >= 0 && request.keyType() <= MAX_KEY_TYPE;
    Errors error = isKnown ? Errors.NONE : Errors.INVALID_REQUEST;
    String message = isKnown ? "" : "no coordinator of type " + request.keyType();
    FindCoordinatorResponseData response = new FindCoordinatorResponseData();
    if (call.version() < FIRST_WITH_SEVERAL) {
      response
          .setErrorCode(error.code())
          .setErrorMessage(message)
          .setNodeId(isKnown ? Node.ID : -1)
          .setHost(isKnown ? call.host() : "")
          .setPort(isKnown ? call.port() : -1);
    } else {
      for (String key : request.coordinatorKeys()) {
        response
            .coordinators()
            .add(
                new Coordinator()
                    .setKey(key)
                    .setErrorCode(error.code())
                    .setErrorMessage(message)
                    .setNodeId(isKnown ? Node.ID : -1)
                    .setHost(isKnown ? call.host() : "")
                    .setPort(isKnown ? call.port() : -1));
      }
    }
    return Answer.of(call, response);
  }
}
