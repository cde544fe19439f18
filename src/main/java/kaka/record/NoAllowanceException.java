package kaka.record;

/** There is no room to decompress a batch now: nothing is wrong with it. Thrown only by whoever was given an {@link Allowance}. */
public final class NoAllowanceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoAllowanceException(long bytes) {
    super("no room for " + bytes + " bytes to decompress a batch", null, false, false);
  }
}
