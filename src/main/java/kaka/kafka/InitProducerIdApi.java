package kaka.kafka;

import java.util.Optional;
import kaka.connection.Exchange;
import kaka.transaction.TransactionRequest;
import kaka.transaction.TransactionResult;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * INIT_PRODUCER_ID: a new id for an idempotent producer, which now and then takes a file operation; or the id and the next epoch of
 * a transactional one.
 */
final class InitProducerIdApi implements Api {
  private static final int NONE = -1;

  @Override
  public Exchange handle(Call call) {
    InitProducerIdRequestData request = call.request(InitProducerIdRequestData.class);
    if (request.transactionalId() != null) {
      return initialize(call, request);
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

  private static Exchange initialize(Call call, InitProducerIdRequestData request) {
    boolean hasId = request.producerId() != NONE;
    if (hasId != (request.producerEpoch() != NONE)) {
      return Answer.of(call, failed(Errors.INVALID_REQUEST));
    }
    Optional<TransactionRequest.Producer> current =
        hasId
            ? Optional.of(new TransactionRequest.Producer(request.producerId(), request.producerEpoch()))
            : Optional.empty();
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.Initialize(request.transactionalId(), request.transactionTimeoutMs(), current),
        result -> {
          TransactionResult.Initialized initialized = (TransactionResult.Initialized) result;
          return new InitProducerIdResponseData()
              .setProducerId(initialized.producerId())
              .setProducerEpoch(initialized.epoch());
        },
        (error, message) -> failed(error));
  }

  private static InitProducerIdResponseData failed(Errors error) {
    return new InitProducerIdResponseData()
        .setErrorCode(error.code())
        .setProducerId(NONE)
        .setProducerEpoch((short) NONE);
  }
}
