package kaka.log;

import java.util.UUID;

/** The broker's own logs: the storage code of every partition, under names and ids that no topic can have. */
public enum InternalLog {
  /** Which topics exist. */
  TOPICS("__topics-0", new UUID(0, 1)),
  /** What groups have committed. */
  OFFSETS("__offsets-0", new UUID(0, 2));

  private final String directory;
  private final UUID id;

  InternalLog(String directory, UUID id) {
    this.directory = directory;
    this.id = id;
  }

  /** In the data directory. */
  public String directory() {
    return directory;
  }

  /** The same in every data directory. */
  public UUID id() {
    return id;
  }
}
