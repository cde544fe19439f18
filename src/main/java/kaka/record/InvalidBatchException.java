package kaka.record;

/** Bytes that claim to be a record batch and are none: what is wrong and where, in bytes from the batch's start. */
public final class InvalidBatchException extends Exception {
  private final int position;

  public InvalidBatchException(String what, int position) {
    super(what + " at byte " + position + " of the batch");
    this.position = position;
  }

  /** Where in the batch, in bytes from its first. */
  public int position() {
    return position;
  }
}
