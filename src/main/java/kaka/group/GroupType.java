package kaka.group;

/** By which protocol a group's members come; a group is of one type at a time, and only one without members changes it. */
public enum GroupType {
  /** Members assign, in generations: {@link ConsumerGroup}. Also a group that only ever committed. */
  CLASSIC("Classic"),
  /** The coordinator assigns, in epochs (KIP-848): {@link EpochGroup}. */
  CONSUMER("Consumer");

  private final String text;

  GroupType(String text) {
    this.text = text;
  }

  /** As Kafka writes it. */
  public String text() {
    return text;
  }
}
