package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import kaka.connection.Connection;
import kaka.connection.ReplyTarget;
import kaka.group.GroupCoordinator;
import kaka.group.GroupReply;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.partition.MemoryCharge;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What one request asks of the group coordinator: answered at once, or, for one that joins, when the other members have. */
final class GroupQuestion implements ReplyTarget, Answer.Waiting {
  private final Call call;
  private final GroupRequest request;
  private final Function<GroupResult, ApiMessage> onResult;
  private final BiFunction<Errors, String, ApiMessage> onError;
  private final MemoryCharge held;
  private final Answer answer;
  private boolean isWaiting;
  private long id;

  private GroupQuestion(
      Call call,
      GroupRequest request,
      Function<GroupResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError,
      MemoryCharge held,
      Answer answer) {
    this.call = call;
    this.request = request;
    this.onResult = onResult;
    this.onError = onError;
    this.held = held;
    this.answer = answer;
  }

  /**
   * The answer to the call, asked for when its turn comes.
   *
   * @param onResult the response to what is no refusal
   * @param onError the response to a refusal, with a message for people
   */
  static Answer answer(
      Call call,
      GroupRequest request,
      Function<GroupResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError) {
    return new Answer(call, answer -> ask(call, request, onResult, onError, answer));
  }

  private static void ask(
      Call call,
      GroupRequest request,
      Function<GroupResult, ApiMessage> onResult,
      BiFunction<Errors, String, ApiMessage> onError,
      Answer answer) {
    Optional<MemoryCharge> held = QuestionCharge.reserve(call, answer, onError);
    if (held.isEmpty()) {
      return;
    }
    GroupQuestion question = new GroupQuestion(call, request, onResult, onError, held.get(), answer);
    answer.waitFor(question);
    question.ask();
    if (!call.connection().mayWait()) {
      question.stop(); // its turn came when the client had gone already
    }
  }

  private void ask() {
    isWaiting = true;
    id = connection().expect(this);
    asked().tell(new GroupCoordinator.Ask(request, held::release, id, connection().groupReplies()));
  }

  private Connection connection() {
    return call.connection();
  }

  @Override
  public ActorRef<GroupCoordinator.Command> asked() {
    return call.services().groups().coordinator();
  }

  @Override
  public void onGroupReply(GroupReply reply) {
    isWaiting = false;
    answer.complete(
        reply.result() instanceof GroupResult.Refused refused
            ? onError.apply(KafkaErrors.of(refused.reason()), refused.detail())
            : onResult.apply(reply.result()));
  }

  @Override
  public void onStopped() {
    isWaiting = false;
    held.release();
    answer.complete(onError.apply(Errors.COORDINATOR_NOT_AVAILABLE, "the group coordinator has stopped"));
  }

  /** Who waits for other members is sent away; everything else is answered soon anyway. */
  @Override
  public void stop() {
    if (isWaiting && group().isPresent()) {
      cancel();
      answer.complete(onError.apply(Errors.COORDINATOR_NOT_AVAILABLE, "the connection ends"));
    }
  }

  @Override
  public void end() {
    if (isWaiting) {
      cancel();
    }
  }

  private void cancel() {
    isWaiting = false;
    connection().forget(id);
    group().ifPresent(name -> asked().tell(new GroupCoordinator.Cancel(name, id, connection().groupReplies())));
  }

  /** Of a request that waits for others. */
  private Optional<String> group() {
    if (request instanceof GroupRequest.Join join) {
      return Optional.of(join.group());
    }
    return request instanceof GroupRequest.Sync sync ? Optional.of(sync.group()) : Optional.empty();
  }
}
