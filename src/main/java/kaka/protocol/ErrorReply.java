package kaka.protocol;

import java.util.Optional;

/**
 * ERROR, type 0xff: the request was not done. Body: {@code code u16 | message, UTF-8, to the end}.
 *
 * @param code 1 to 65535; see {@link ErrorCode}, though a newer broker may send others
 * @param message for people; a very long one is cut
 */
public record ErrorReply(int code, String message) implements Response {
  /** What the message of a STORAGE begins with where it is no failure: it passes by itself when space returns. */
  public static final String DISK_NEARLY_FULL = "disk nearly full";

  public ErrorReply {
    Limits.checkUint16(code, "code");
    if (code == 0) {
      throw new IllegalArgumentException("code 0 is no error");
    }
    message = Limits.shorten(message);
  }

  public ErrorReply(ErrorCode error, String message) {
    this(error.code(), message);
  }

  /** The answer to a body, or a frame, that makes no sense. */
  public static ErrorReply to(ProtocolException e) {
    return new ErrorReply(e.code(), e.getMessage());
  }

  /** Whether the same request, sent again after a pause, can succeed without anybody acting first. */
  public boolean isRetriable() {
    return error().map(ErrorCode::isRetriable).orElse(false)
        || code == ErrorCode.STORAGE.code() && message.startsWith(DISK_NEARLY_FULL);
  }

  /** What the code means, or empty where this version does not know it. */
  public Optional<ErrorCode> error() {
    return ErrorCode.of(code);
  }

  static ErrorReply decode(WireReader in) throws ProtocolException {
    int code = in.uint16("code");
    if (code == 0) {
      throw ProtocolException.badRequest("code", 0, "0 is no error");
    }
    return new ErrorReply(code, in.stringToEnd("message"));
  }

  @Override
  public int type() {
    return MessageType.ERROR;
  }

  @Override
  public void encode(WireWriter out) {
    out.int16(code).stringToEnd(message);
  }
}
