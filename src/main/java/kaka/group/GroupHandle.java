package kaka.group;

import akka.actor.typed.ActorRef;

/** Where the groups are: what every connection reads without asking, and whom to ask for all else. Safe from any thread. */
public final class GroupHandle {
  private final CommittedOffsets offsets = new CommittedOffsets();
  private volatile String unreadableReason = "offsets are being read";
  private volatile boolean opening = true;
  private volatile ActorRef<GroupCoordinator.Command> coordinator;

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

  void opened(String problem) {
    unreadableReason = problem;
    opening = false;
  }
}
