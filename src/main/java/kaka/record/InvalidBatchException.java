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
    /** It may be good, and is more than is taken once it is decompressed. */
    TOO_LARGE,
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
    this(what + " at byte " + position + " of the batch", kind, position);
  }

  private InvalidBatchException(String message, Kind kind, int position) {
    super(message);
    this.kind = kind;
    this.position = position;
  }

  /** @param index of the record in its batch */
  static InvalidBatchException noKey(int index, int position) {
    return new InvalidBatchException(
        "the topic is compacted, so every record needs a key: record " + index + " of the batch has none", Kind.NO_KEY, position);
  }

  public Kind kind() {
    return kind;
  }

  /** Where in the batch, in bytes from its first; what is wrong in compressed records is where these start. */
  public int position() {
    return position;
  }
}
