package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import kaka.connection.ReplyTarget;
import kaka.partition.MemoryCharge;
import kaka.transaction.TransactionCoordinator;
import kaka.transaction.TransactionReply;
import kaka.transaction.TransactionRequest;
import kaka.transaction.TransactionResult;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What one request asks of the transaction coordinator. */
final class TransactionQuestion implements ReplyTarget {
  private final Call call;
  private final Answer answer;
  private final MemoryCharge held;
  private final Function<TransactionResult, ApiMessage> onResult;
  private final BiFunction<Errors, String, ApiMessage> onError;

  private TransactionQuestion(
      Call call,
      Answer answer,
      MemoryCharge held,
      Function<TransactionResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError) {
    this.call = call;
    this.answer = answer;
    this.held = held;
    this.onResult = onResult;
    this.onError = onError;
  }

  /**
   * The answer to the call, asked for when its turn comes.
   *
   * @param onResult the response to what is no refusal
   * @param onError the response to a refusal, with a message for people
   */
  static Answer answer(
      Call call,
      TransactionRequest request,
      Function<TransactionResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError) {
    return new Answer(call, answer -> ask(call, request, onResult, onError, answer));
  }

  private static void ask(
      Call call,
      TransactionRequest request,
      Function<TransactionResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError,
      Answer answer) {
    Optional<MemoryCharge> held = QuestionCharge.reserve(call, answer, onError);
    if (held.isEmpty()) {
      return;
    }
    TransactionQuestion question = new TransactionQuestion(call, answer, held.get(), onResult, onError);
    long id = call.connection().expect(question);
    question.asked().tell(new TransactionCoordinator.Ask(request, question.held::release, id, call.connection().transactionReplies()));
  }

  @Override
  public ActorRef<TransactionCoordinator.Command> asked() {
    return call.services().transactions().coordinator();
  }

  @Override
  public void onTransactionReply(TransactionReply reply) {
    answer.complete(
        reply.result() instanceof TransactionResult.Refused refused
            ? onError.apply(TransactionErrors.of(refused.reason(), call.key(), call.version()), refused.detail())
            : onResult.apply(reply.result()));
  }

  @Override
  public void onStopped() {
    held.release();
    answer.complete(onError.apply(Errors.COORDINATOR_NOT_AVAILABLE, "the transaction coordinator has stopped"));
  }
}
