package kaka.log;

import java.util.UUID;

/** The broker's own logs: the storage code of every partition, under names and ids that no topic can have. */
public enum InternalLog {
  /** Which topics exist. */
  TOPICS("__topics-0", new UUID(0, 1), "every topic"),
  /** What groups have committed. */
  OFFSETS("__offsets-0", new UUID(0, 2), "every committed offset"),
  /** Which transactions there are, and what was decided about them. */
  TRANSACTIONS("__transactions-0", new UUID(0, 3), "what is known of transactions, with those that are open left open");

  private final String directory;
  private final UUID id;
  private final String content;

  InternalLog(String directory, UUID id, String content) {
    this.directory = directory;
    this.id = id;
    this.content = content;
  }

  /** In the data directory. */
  public String directory() {
    return directory;
  }

  /** The same in every data directory. */
  public UUID id() {
    return id;
  }

  /** What is lost with it, for people. */
  public String content() {
    return content;
  }
}
