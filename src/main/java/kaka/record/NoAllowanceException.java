package kaka.record;

/** There is no room for what is to be held now; if that is a batch to decompress, nothing is wrong with it. Thrown only by whoever was given an {@link Allowance}. */
public final class NoAllowanceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoAllowanceException(long bytes) {
    super("no room for " + bytes + " bytes", null, false, false);
  }
}
