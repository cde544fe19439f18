package kaka.protocol;

/**
 * The peer sent bytes that are no valid message: which field, where, and why. It has no stack trace: the fault is in the
 * bytes, and whoever floods the broker with bad frames should not make it walk its stack for each.
 */
public final class ProtocolException extends Exception {
  private final ErrorCode code;
  private final String field;
  private final int position;

  /**
   * @param code what an ERROR answer says
   * @param field the field's name in PROTOCOL.md
   * @param position of the field, in bytes from the start of the message body; 0 for the frame's length and type
   * @param what what is wrong with it, without the field's name
   */
  public ProtocolException(ErrorCode code, String field, int position, String what) {
    this(field + " at byte " + position + ": " + what, code, field, position);
  }

  private ProtocolException(String message, ErrorCode code, String field, int position) {
    super(message, null, false, false);
    this.code = code;
    this.field = field;
    this.position = position;
  }

  static ProtocolException badRequest(String field, int position, String what) {
    return new ProtocolException(ErrorCode.BAD_REQUEST, field, position, what);
  }

  /** The bytes are a valid message; what they ask for cannot be, and {@code why} says so by itself. */
  static ProtocolException wellFormed(String field, int position, String why) {
    return new ProtocolException(why, ErrorCode.BAD_REQUEST, field, position);
  }

  public ErrorCode code() {
    return code;
  }

  public String field() {
    return field;
  }

  public int position() {
    return position;
  }
}
