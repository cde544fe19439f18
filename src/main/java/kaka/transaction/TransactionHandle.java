package kaka.transaction;

import akka.actor.typed.ActorRef;
import kaka.log.OngoingTransactions;

/** Where transactions are: whom to ask, and what can be read without asking. Safe from any thread. */
public final class TransactionHandle {
  private final OngoingTransactions ongoing;
  private volatile ActorRef<TransactionCoordinator.Command> coordinator;
  private volatile String problem = "";

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

  /** Which partitions belong to which producer's transaction at present. */
  public OngoingTransactions ongoing() {
    return ongoing;
  }
}
