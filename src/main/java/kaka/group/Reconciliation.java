package kaka.group;

import java.util.Optional;

/**
 * The next step of one member from what it has to what it is to have: a partition goes to its new owner only after the old one has
 * said that it has given it up, or is no member any more.
 *
 * <pre>
 * the member has        says that it owns     to give up        free for it      then
 * partitions to revoke  some, or nothing (1)  -                 -                as it is
 * partitions to revoke  none of them          (as if it had none to revoke)
 * none to revoke        any of these, or (1)  some              -                the rest is assigned, those are to be revoked, the epoch stays
 * none to revoke        none of these         some, or none     some, or none    the rest and the free ones are assigned, the group's epoch
 *
 * (1) it does not say what it owns, which clients do unless that has changed.
 * </pre>
 *
 * A member keeps its epoch until it has given up what it has to, so that it can commit offsets for that.
 */
final class Reconciliation {
  private Reconciliation() {}

  /**
   * @param target what it is to have in {@code epoch}
   * @param owned what it says that it has
   * @param isFree whether no other member has, or has still to give up, a partition
   * @return the member itself if there is nothing to do
   */
  static EpochMember next(
      EpochMember member, PartitionSet target, int epoch, Optional<PartitionSet> owned, PartitionSet.Filter isFree) {
    if (isHeld(member.revoking(), owned)) {
      return member;
    }
    PartitionSet kept = member.assigned().and(target);
    PartitionSet excess = member.assigned().minus(target);
    if (isHeld(excess, owned)) {
      return member.at(member.epoch(), kept, excess);
    }
    PartitionSet next = kept.plus(target.minus(kept).where(isFree));
    boolean isSame = member.epoch() == epoch && next.equals(member.assigned()) && member.revoking().isEmpty();
    return isSame ? member : member.at(epoch, next, PartitionSet.NONE);
  }

  private static boolean isHeld(PartitionSet partitions, Optional<PartitionSet> owned) {
    return !partitions.isEmpty() && owned.map(partitions::intersects).orElse(true);
  }
}
