package kaka.group;

/**
 * The next step of one member from what it has to what it is to have: a partition goes to its new owner only after the old one has
 * said that it has given it up, or is no member any more.
 *
 * <pre>
 * the member has              says, or last said, that it owns       then
 * partitions to revoke        some of them, or says nothing new      as it is
 * partitions to revoke        now, that it has none of them          as if there were none to revoke
 * more than it is to have     not all of that (1)                    as it is: it is told of that first
 * more than it is to have     all of that                            the rest is assigned, that is to be revoked, the epoch stays
 * no more than it is to have  -                                      that and what is free of the rest is assigned, the group's epoch
 *
 * (1) What it was told to take it may be about to take, until it has said so: then it will say, too, that it has given it up. A client
 *     that was told both before it began would say nothing, since for it nothing has changed.
 * </pre>
 *
 * Partitions of topics that are no more need not be given up, and who joins has nothing. A member keeps its epoch until it has
 * given up what it has to, so that it can commit offsets for that.
 */
final class Reconciliation {
  /** What a request says of what its member owns; {@link EpochMember#owned} is that already. */
  enum Says {
    WHAT_IT_OWNS,
    NOTHING_NEW,
    IT_JOINS
  }

  private Reconciliation() {}

  /**
   * @param target what it is to have in {@code epoch}
   * @param isFree whether no other member has, or has still to give up, a partition
   * @param exists whether a partition's topic does
   * @return the member itself if there is nothing to do
   */
  static EpochMember next(
      EpochMember member, PartitionSet target, int epoch, Says says, PartitionSet.Filter isFree, PartitionSet.Filter exists) {
    PartitionSet toRevoke = member.revoking().where(exists);
    boolean isHolding = says == Says.NOTHING_NEW || member.owned().intersects(toRevoke);
    if (!toRevoke.isEmpty() && isHolding && says != Says.IT_JOINS) {
      return member;
    }
    PartitionSet kept = member.assigned().and(target);
    PartitionSet excess = member.assigned().minus(target).where(exists);
    if (!excess.isEmpty() && says != Says.IT_JOINS) {
      boolean hasTaken = member.owned().containsAll(excess);
      return step(member, member.epoch(), hasTaken ? kept : member.assigned(), hasTaken ? excess : PartitionSet.NONE);
    }
    return step(member, epoch, kept.plus(target.minus(kept).where(isFree)), PartitionSet.NONE);
  }

  private static EpochMember step(EpochMember member, int epoch, PartitionSet assigned, PartitionSet revoking) {
    boolean isSame = member.epoch() == epoch && assigned.equals(member.assigned()) && revoking.equals(member.revoking());
    return isSame ? member : member.at(epoch, assigned, revoking);
  }
}
