package kaka.group;

/** Why the coordinator did not do what it was asked for. */
public enum GroupError {
  INVALID_GROUP_ID("a group's name is 1 to 255 bytes long"),
  INVALID_SESSION_TIMEOUT("the session timeout is not one that the broker allows"),
  INCONSISTENT_PROTOCOL("the group's members have no protocol in common with this one"),
  UNKNOWN_MEMBER("the group has no such member: join again"),
  ILLEGAL_GENERATION("that was another generation of the group: join again"),
  REBALANCE_IN_PROGRESS("the group is rebalancing: join again"),
  FENCED_INSTANCE("another member has taken over this instance's name"),
  GROUP_FULL("the group has as many members as it may have"),
  TOO_MANY_GROUPS("the broker has as many groups as it may have"),
  MEMORY("the memory for groups is used up; nothing was changed"),
  NOT_EMPTY("the group has members"),
  GROUP_NOT_FOUND("no such group"),
  SUBSCRIBED_TO_TOPIC("a member of the group reads that topic"),
  METADATA_TOO_LARGE("the offset's metadata is too long"),
  UNKNOWN_TOPIC_OR_PARTITION("no such topic, or no such partition in it"),
  /** Of an {@link EpochGroup}'s member. */
  FENCED_EPOCH("that is not the member's epoch: give up all partitions and join again"),
  STALE_EPOCH("that is not the member's epoch any more: ask again with the new one"),
  UNRELEASED_INSTANCE("another member has this instance's name, and has not left"),
  UNSUPPORTED_ASSIGNOR("no such assignor: uniform and range there are"),
  INVALID_PATTERN("not a pattern of RE2's syntax, or too large a one"),
  SUBSCRIPTION_TOO_LARGE("a subscription to so many topics: use a pattern"),
  INVALID_TRANSACTION("the producer has no transaction that offsets belong to"),
  /** Retriable, unlike {@link #STORAGE}. */
  DISK_NEARLY_FULL("disk nearly full"),
  STORAGE("the log of offsets failed or is damaged"),
  SHUTTING_DOWN("the broker is stopping");

  private final String text;

  GroupError(String text) {
    this.text = text;
  }

  /** What it means, for people. */
  public String text() {
    return text;
  }
}
