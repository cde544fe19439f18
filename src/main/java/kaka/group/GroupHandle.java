package kaka.group;

import akka.actor.typed.ActorRef;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.log.OngoingTransactions;

/** Where the groups are: what every connection reads without asking, and whom to ask for all else. Safe from any thread. */
public final class GroupHandle {
  private final CommittedOffsets offsets = new CommittedOffsets();
  private final OngoingTransactions transactions;
  private volatile String unreadableReason = "offsets are being read";
  private volatile boolean opening = true;
  private volatile String problem = "";
  private volatile ActorRef<GroupCoordinator.Command> coordinator;
  private volatile Map<GroupPhase, Integer> phases = Map.of();
  private final AtomicBoolean isCounting = new AtomicBoolean();

  /** @param transactions which there are, so that no offset is committed with one that is over */
  public GroupHandle(OngoingTransactions transactions) {
    this.transactions = transactions;
  }

  /** Where there are no transactions. */
  public GroupHandle() {
    this(new OngoingTransactions());
  }

  OngoingTransactions transactions() {
    return transactions;
  }

  /** Once, before anybody else sees it. */
  public void bind(ActorRef<GroupCoordinator.Command> actor) {
    coordinator = actor;
  }

  public ActorRef<GroupCoordinator.Command> coordinator() {
    return coordinator;
  }

  /** What is committed; only if {@link #isReadable}, or an offset that is there would look as if it were not. */
  public CommittedOffsets offsets() {
    return offsets;
  }

  public boolean isReadable() {
    return unreadableReason.isEmpty();
  }

  /** Whether it will be, soon. */
  public boolean isOpening() {
    return opening;
  }

  /** Why it is not readable, for people. */
  public String unreadableReason() {
    return unreadableReason;
  }

  /** Why nothing can be committed, for people; empty while all is well, or not known yet. */
  public String problem() {
    return problem;
  }

  /** Groups by phase as they were when this was last asked, for nobody waits for them: has them counted anew. */
  public Map<GroupPhase, Integer> phases() {
    ActorRef<GroupCoordinator.Command> actor = coordinator;
    if (actor != null && !isCounting.getAndSet(true)) {
      actor.tell(GroupCoordinator.Count.INSTANCE);
    }
    return phases;
  }

  void counted(Map<GroupPhase, Integer> now) {
    phases = Map.copyOf(now);
    isCounting.set(false);
  }

  void failed(String reason) {
    problem = reason;
  }

  void opened(String problem) {
    this.problem = problem;
    unreadableReason = problem;
    opening = false;
  }
}
