package kaka.protocol;

/** The state of a group; on the wire its ordinal, u8. Named as Kafka's tools show it. */
public enum GroupPhase {
  EMPTY("Empty"),
  PREPARING_REBALANCE("PreparingRebalance"),
  COMPLETING_REBALANCE("CompletingRebalance"),
  STABLE("Stable"),
  /** There is no such group. */
  DEAD("Dead"),
  /** Of a group of Kafka's newer protocol: some member does not have yet what it is to have. */
  RECONCILING("Reconciling");

  private final String text;

  GroupPhase(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
