package kaka.protocol;

/** How a group's members share its partitions; on the wire its ordinal, u8. Named as Kafka's tools show it. */
public enum GroupType {
  /** By Kafka's older protocol, or this one: a member assigns. Also a group that never had members. */
  CLASSIC("Classic"),
  /** By Kafka's newer protocol, KIP-848: the broker assigns. */
  CONSUMER("Consumer");

  private final String text;

  GroupType(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
