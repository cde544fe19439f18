package kaka.kafka;

import kaka.connection.Exchange;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** INIT_PRODUCER_ID: a new id for an idempotent producer, which now and then takes a file operation. */
final class InitProducerIdApi implements Api {
  private static final int NONE = -1;

  @Override
  public Exchange handle(Call call) {
    if (call.request(InitProducerIdRequestData.class).transactionalId() != null) {
      return Answer.of(call, failed(Errors.UNSUPPORTED_VERSION)); // a producer gives up at once: there are no transactions
    }
    return new Answer(
        call,
        answer ->
            call.connection()
                .read(
                    () -> call.services().producerIds().next(),
                    id -> answer.complete(new InitProducerIdResponseData().setProducerId(id).setProducerEpoch((short) 0)),
                    failure -> {
                      call.side().readFailed("producer-ids", failure);
                      answer.complete(failed(Errors.COORDINATOR_NOT_AVAILABLE));
                    }));
  }

  private static InitProducerIdResponseData failed(Errors error) {
    return new InitProducerIdResponseData()
        .setErrorCode(error.code())
        .setProducerId(NONE)
        .setProducerEpoch((short) NONE);
  }
}
