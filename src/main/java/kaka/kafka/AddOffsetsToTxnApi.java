package kaka.kafka;

import java.util.Set;
import kaka.connection.Exchange;
import kaka.transaction.TransactionPartition;
import kaka.transaction.TransactionRequest;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;

/** ADD_OFFSETS_TO_TXN: offsets will be committed with the transaction. One coordinator has those of all groups. */
final class AddOffsetsToTxnApi implements Api {
  @Override
  public Exchange handle(Call call) {
    AddOffsetsToTxnRequestData request = call.request(AddOffsetsToTxnRequestData.class);
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.Add(
            request.transactionalId(),
            new TransactionRequest.Producer(request.producerId(), request.producerEpoch()),
            Set.of(TransactionPartition.OFFSETS)),
        result -> new AddOffsetsToTxnResponseData(),
        (error, message) -> new AddOffsetsToTxnResponseData().setErrorCode(error.code()));
  }
}
