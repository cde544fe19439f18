package kaka.partition;

import java.util.Locale;

/** Why a partition did not take a write. Nothing of a refused write is stored, but see {@link #STORAGE_FAILED}. */
public enum Refusal {
  /** The log failed, now or before. What was being committed when it did may or may not be on the disk. */
  STORAGE_FAILED("storage failed"),
  /** Free space is below {@code kaka.log.min-free-bytes}; passes by itself when space returns. */
  DISK_NEARLY_FULL("disk nearly full"),
  /** The partition is still opening. */
  UNAVAILABLE("partition is opening"),
  /** The partition is closed, for a deletion or for the broker's stop. */
  CLOSED("partition is closed"),
  /** An idempotent producer's batch does not continue those that are stored. */
  OUT_OF_ORDER_SEQUENCE("out of order"),
  /** A newer epoch of the same idempotent producer has written. */
  FENCED_PRODUCER("fenced"),
  /** Nothing is remembered of the idempotent producer, whose batch is not its first. */
  UNKNOWN_PRODUCER("unknown producer"),
  /** The batch is no part of a transaction that its producer has begun, or would mix with one that is open. */
  INVALID_TRANSACTION("not in a transaction"),
  /** More transactions are open in the partition than it can remember; passes when one has ended. */
  TOO_MANY_TRANSACTIONS("too many open transactions");

  private final String text;
  private final String label;

  Refusal(String text) {
    this.text = text;
    this.label = name().toLowerCase(Locale.ROOT);
  }

  /** For metrics: its name. */
  String label() {
    return label;
  }

  /** For people, in a few words. */
  public String text() {
    return text;
  }
}
