package kaka.server;

import akka.actor.typed.ActorRef;
import java.util.function.Function;
import kaka.connection.AnswerBuffer;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.group.GroupCoordinator;
import kaka.group.GroupReply;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.partition.MemoryCharge;
import kaka.protocol.ErrorCode;

/** A request that the group coordinator answers: at once, or, for one that joins, when the other members have. */
final class GroupExchange extends Exchange implements ReplyTarget {
  /** Up to here an answer is copied to the other small ones, and let go at once. */
  private static final int SMALL_BYTES = 4 << 10;

  private final Connection connection;
  private final GroupRequest request;
  private final MemoryCharge held;
  private final Function<GroupResult, byte[]> toFrame;
  private boolean asked;
  private boolean isWaiting;
  private long id;
  private byte[] frame;

  /**
   * @param held for the request's memory, given back when the coordinator is done with it
   * @param toFrame makes an answer of what is no refusal
   */
  GroupExchange(
      Connection connection,
      GroupRequest request,
      MemoryCharge held,
      Function<GroupResult, byte[]> toFrame,
      int bodyBytes) {
    super(bodyBytes);
    this.connection = connection;
    this.request = request;
    this.held = held;
    this.toFrame = toFrame;
  }

  /** Does not wait for its turn: commits of one connection share a sync. */
  GroupExchange askedNow() {
    ask();
    return this;
  }

  @Override
  protected void onOldest() {
    if (!asked) {
      ask();
    }
  }

  private void ask() {
    asked = true;
    isWaiting = true;
    id = connection.expect(this);
    asked().tell(new GroupCoordinator.Ask(request, held::release, id, connection.groupReplies()));
    if (!connection.mayWait()) {
      stopWaiting(); // its turn came when the client had gone already
    }
  }

  @Override
  public ActorRef<GroupCoordinator.Command> asked() {
    return connection.services().groups().coordinator();
  }

  @Override
  public void onGroupReply(GroupReply reply) {
    isWaiting = false;
    GroupResult result = reply.result();
    byte[] answer = result instanceof GroupResult.Refused refused ? Answers.error(refused) : toFrame.apply(result);
    if (answer.length <= SMALL_BYTES) {
      frame = answer;
    } else if (connection.services().memory().tryReserve(answer.length)) {
      charge(connection.services().memory(), answer.length);
      frame = answer;
    } else {
      frame = Answers.noMemory();
    }
  }

  @Override
  public void onStopped() {
    isWaiting = false;
    held.release();
    frame = Answers.noCoordinator();
  }

  /** A join that waits for other members is given up; everything else is answered soon anyway. */
  @Override
  protected void stopWaiting() {
    if (isWaiting && request instanceof GroupRequest.Join) {
      cancel();
      frame = connection.isDraining()
          ? Answers.error(ErrorCode.SHUTTING_DOWN, "the broker is stopping")
          : Answers.error(ErrorCode.REBALANCE_IN_PROGRESS, "the client has ended its side of the connection");
    }
  }

  private void cancel() {
    isWaiting = false;
    connection.forget(id);
    if (request instanceof GroupRequest.Join join) {
      asked().tell(new GroupCoordinator.Cancel(join.group(), id, connection.groupReplies()));
    }
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (frame == null) {
      return false;
    }
    if (frame.length > SMALL_BYTES) {
      return out.addSlice(frame);
    }
    out.add(frame);
    return true;
  }

  @Override
  protected void release() {
    if (isWaiting) {
      cancel();
    } else if (!asked) {
      held.release();
    }
  }
}
