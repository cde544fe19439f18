package kaka.record;

/** Bytes that claim to be a record batch and are none: what is wrong and where, in bytes from the batch's start. */
public final class InvalidBatchException extends Exception {
  private static final long serialVersionUID = 1;

  /** What kind of wrong, for front doors whose clients are told it by number. */
  public enum Kind {
    /** The bytes are not what the format says. */
    FORMAT,
    /** It is well formed, and of a kind that is not taken. */
    UNSUPPORTED,
    /** A record without key, where every record needs one. */
    NO_KEY,
    /** Timestamps that cannot be. */
    TIMESTAMP
  }

  private final Kind kind;
  private final int position;

  public InvalidBatchException(String what, int position) {
    this(Kind.FORMAT, what, position);
  }

  public InvalidBatchException(Kind kind, String what, int position) {
    super(what + " at byte " + position + " of the batch");
    this.kind = kind;
    this.position = position;
  }

  public Kind kind() {
    return kind;
  }

  /** Where in the batch, in bytes from its first; what is wrong in compressed records is where these start. */
  public int position() {
    return position;
  }
}
