package kaka.group;

/**
 * The states of a group, by the names that Kafka's tools show. An {@link EpochGroup} is empty, reconciling or stable; the table is
 * that of the classic protocol.
 *
 * <p>What each event does in each state; a name is the refusal's. {@code DEAD} stands for a group that is not there. Every cell is
 * a row of the test.
 *
 * <pre>
 * event                    EMPTY            PREPARING_REBALANCE    COMPLETING_REBALANCE    STABLE                  DEAD
 * join, new member         -> PREPARING     waits                  -> PREPARING            -> PREPARING            created, as EMPTY
 * join, member, changed    UNKNOWN_MEMBER   waits                  -> PREPARING            -> PREPARING            UNKNOWN_MEMBER
 * join, leader, unchanged  UNKNOWN_MEMBER   waits                  answered again          -> PREPARING            UNKNOWN_MEMBER
 * join, other, unchanged   UNKNOWN_MEMBER   waits                  answered again          answered again          UNKNOWN_MEMBER
 * join, static, anew       -> PREPARING     replaces, waits        replaces, -> PREPARING  replaces, answered (1)  created, as EMPTY
 * sync, leader             UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  -> STABLE               answered                UNKNOWN_MEMBER
 * sync, other              UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  waits                   answered                UNKNOWN_MEMBER
 * heartbeat                UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  done                    done                    UNKNOWN_MEMBER
 * leave, session over      UNKNOWN_MEMBER   may complete           -> PREPARING            -> PREPARING            UNKNOWN_MEMBER
 * commit, member           UNKNOWN_MEMBER   done                   REBALANCE_IN_PROGRESS   done                    UNKNOWN_MEMBER
 * commit, from outside     done             UNKNOWN_MEMBER         UNKNOWN_MEMBER          UNKNOWN_MEMBER          created, done
 * another generation       UNKNOWN_MEMBER   ILLEGAL_GENERATION     ILLEGAL_GENERATION      ILLEGAL_GENERATION      UNKNOWN_MEMBER
 * all have joined, or      -                -> COMPLETING (2), or  -                       -                       -
 *   rebalance deadline                      EMPTY if nobody has
 * sync deadline            -                -                      -> PREPARING (3)        -> PREPARING (3)        -
 * delete group             DEAD             NOT_EMPTY              NOT_EMPTY               NOT_EMPTY               GROUP_NOT_FOUND
 * topics changed           -                -                      -> PREPARING (4)        -> PREPARING (4)        -
 *
 * (1) -> PREPARING if the protocol that would be chosen, or what the member says for it, is another than before.
 * (2) and on to STABLE if the coordinator assigns. Who has not joined by the deadline is no member any more, unless static.
 * (3) without those that have not asked for their assignment; they are no members any more.
 * (4) if the coordinator assigned, and a topic that a member wants was created, deleted or given partitions.
 * </pre>
 *
 * A leave that leaves nobody leads to EMPTY.
 */
public enum GroupPhase {
  /** It has no members; it may have offsets. */
  EMPTY("Empty"),
  /** A new generation is wanted: waits for every member to join it. */
  PREPARING_REBALANCE("PreparingRebalance"),
  /** The members are known: waits for their leader's assignment. */
  COMPLETING_REBALANCE("CompletingRebalance"),
  /** Every member has its assignment. */
  STABLE("Stable"),
  /** Of an {@link EpochGroup}: some member does not have yet what it is to have. */
  RECONCILING("Reconciling"),
  /** There is no such group. */
  DEAD("Dead");

  private final String text;

  GroupPhase(String text) {
    this.text = text;
  }

  /** As Kafka writes it. */
  public String text() {
    return text;
  }
}
