package kaka.transaction;

import akka.actor.typed.ActorRef;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.log.OngoingTransactions;

/** Where transactions are: whom to ask, and what can be read without asking. Safe from any thread. */
public final class TransactionHandle {
  private final OngoingTransactions ongoing;
  private volatile ActorRef<TransactionCoordinator.Command> coordinator;
  private volatile String problem = "";
  private volatile TransactionCounts counts = TransactionCounts.NONE;
  private final AtomicBoolean isCounting = new AtomicBoolean();

  public TransactionHandle(OngoingTransactions ongoing) {
    this.ongoing = ongoing;
  }

  /** Once, before anybody else sees it. */
  public void bind(ActorRef<TransactionCoordinator.Command> actor) {
    coordinator = actor;
  }

  public ActorRef<TransactionCoordinator.Command> coordinator() {
    return coordinator;
  }

  /** Why there are no transactions, for people; empty while there are, or it is not known yet. */
  public String problem() {
    return problem;
  }

  void failed(String reason) {
    problem = reason;
  }

  /** As they were when this was last asked, for nobody waits for them: has them counted anew. */
  public TransactionCounts counts() {
    ActorRef<TransactionCoordinator.Command> actor = coordinator;
    if (actor != null && !isCounting.getAndSet(true)) {
      actor.tell(TransactionCoordinator.Count.INSTANCE);
    }
    return counts;
  }

  void counted(TransactionCounts now) {
    counts = now;
    isCounting.set(false);
  }

  /** Which partitions belong to which producer's transaction at present. */
  public OngoingTransactions ongoing() {
    return ongoing;
  }
}
