package kaka.bench;

import java.util.Optional;

/** What a run does. */
public enum Load {
  /** Produces; how long an ack takes. */
  PRODUCE("produce", true, false),

  /** Reads what was produced before the clock starts; how long an answer takes. */
  FETCH("fetch", false, true),

  /** Produces at a rate and reads at the end of the log; how long a record takes from when it was due to its reader. */
  END_TO_END("end-to-end", true, true),

  /** Produces while others read from the start. */
  MIXED("mixed", true, true);

  private final String label;
  private final boolean produces;
  private final boolean fetches;

  Load(String label, boolean produces, boolean fetches) {
    this.label = label;
    this.produces = produces;
    this.fetches = fetches;
  }

  /** As on the command line. */
  public String label() {
    return label;
  }

  boolean produces() {
    return produces;
  }

  boolean fetches() {
    return fetches;
  }

  /** Whether there must be records to read before it starts. */
  boolean needsFill() {
    return this == FETCH || this == MIXED;
  }

  public static Optional<Load> named(String label) {
    for (Load load : values()) {
      if (load.label.equals(label)) {
        return Optional.of(load);
      }
    }
    return Optional.empty();
  }
}
