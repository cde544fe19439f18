package kaka.kafka;

import kaka.connection.Exchange;
import kaka.transaction.TransactionRequest;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;

/** END_TXN: commits or aborts; answered when that is on disk, and every partition knows or has had a second to. */
final class EndTxnApi implements Api {
  @Override
  public Exchange handle(Call call) {
    EndTxnRequestData request = call.request(EndTxnRequestData.class);
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.End(
            request.transactionalId(),
            new TransactionRequest.Producer(request.producerId(), request.producerEpoch()),
            request.committed()),
        result -> new EndTxnResponseData(),
        (error, message) -> new EndTxnResponseData().setErrorCode(error.code()));
  }
}
