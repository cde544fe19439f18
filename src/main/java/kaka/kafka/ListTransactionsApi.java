package kaka.kafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.transaction.Transaction;
import kaka.transaction.TransactionPhase;
import kaka.transaction.TransactionRequest;
import kaka.transaction.TransactionResult;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.ListTransactionsResponseData.TransactionState;

/** LIST_TRANSACTIONS: of a state, of a producer, or that have lasted long. */
final class ListTransactionsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    ListTransactionsRequestData request = call.request(ListTransactionsRequestData.class);
    Set<TransactionPhase> phases = new HashSet<>();
    List<String> unknown = new ArrayList<>();
    for (String state : request.stateFilters()) {
      Optional<TransactionPhase> phase =
          Arrays.stream(TransactionPhase.values()).filter(each -> each.text().equals(state)).findFirst();
      phase.ifPresentOrElse(phases::add, () -> unknown.add(state));
    }
    ListTransactionsResponseData response = new ListTransactionsResponseData().setUnknownStateFilters(unknown);
    if (phases.isEmpty() && !unknown.isEmpty()) {
      return Answer.of(call, response); // nothing is in a state that there is not
    }
    OptionalLong lasting =
        request.durationFilter() < 0 ? OptionalLong.empty() : OptionalLong.of(request.durationFilter());
    return TransactionQuestion.answer(
        call,
        new TransactionRequest.ListAll(phases, Set.copyOf(request.producerIdFilters()), lasting),
        result -> {
          for (Transaction each : ((TransactionResult.Listed) result).transactions()) {
            response
                .transactionStates()
                .add(
                    new TransactionState()
                        .setTransactionalId(each.id())
                        .setProducerId(each.producerId())
                        .setTransactionState(each.phase().text()));
          }
          return response;
        },
        (error, message) -> response.setErrorCode(error.code()));
  }
}
