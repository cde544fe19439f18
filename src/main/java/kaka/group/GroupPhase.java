package kaka.group;

/** The states of a group, by the names that Kafka's tools show. */
public enum GroupPhase {
  /** It has no members; it may have offsets. */
  EMPTY("Empty"),
  /** A new generation is wanted: waits for every member to join it. */
  PREPARING_REBALANCE("PreparingRebalance"),
  /** The members are known: waits for their leader's assignment. */
  COMPLETING_REBALANCE("CompletingRebalance"),
  /** Every member has its assignment. */
  STABLE("Stable"),
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
