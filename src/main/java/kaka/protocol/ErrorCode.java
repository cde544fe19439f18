package kaka.protocol;

import java.util.Optional;

/** Why a request was not done, as an ERROR says it. A broker newer than its client may send codes that are not here. */
public enum ErrorCode {
  BAD_REQUEST(1, false, "the request's bytes make no sense; nothing was done"),
  UNKNOWN_TOPIC_OR_PARTITION(2, false, "no such topic, or no such partition in it"),
  MEMORY(3, true, "the broker's memory budget is used up; nothing was stored"),
  STORAGE(4, false, "the partition cannot do that: its disk failed, is damaged or is nearly full"),
  TOO_LARGE(5, false, "the frame is longer than the broker takes; the connection is closed"),
  SHUTTING_DOWN(6, true, "the broker is stopping; nothing was stored"),
  UNAVAILABLE(7, true, "the partition is not open yet"),
  UNSUPPORTED(8, false, "this broker does not know that request, version or feature"),
  UNAUTHORIZED(9, false, "this client may not do that"),
  TOPIC_EXISTS(10, false, "a topic of that name exists"),
  INVALID_TOPIC(11, false, "not a legal topic name, partition count or setting"),
  OFFSET_OUT_OF_RANGE(12, false, "the offset is beyond the partition's end"),
  OUT_OF_ORDER_SEQUENCE(13, false, "the batch does not continue its producer's stored batches; it was not stored now"),
  FENCED_PRODUCER(14, false, "a newer epoch of this producer has written; nothing was stored"),
  UNKNOWN_PRODUCER(15, false, "nothing is remembered of this producer, whose batch is not its first; it was not stored now"),
  POLICY_VIOLATION(16, false, "the topic's settings do not allow that; nothing was changed");

  private static final ErrorCode[] BY_CODE = new ErrorCode[values().length + 1];

  static {
    for (ErrorCode error : values()) {
      BY_CODE[error.code] = error;
    }
  }

  private final int code;
  private final boolean retriable;
  private final String description;

  ErrorCode(int code, boolean retriable, String description) {
    this.code = code;
    this.retriable = retriable;
    this.description = description;
  }

  /** The number on the wire, 1 to 65535. */
  public int code() {
    return code;
  }

  /**
   * Whether the same request, sent again after a pause, can succeed without anybody acting first. Of STORAGE only the message
   * tells: see {@link ErrorReply#isRetriable}.
   */
  public boolean isRetriable() {
    return retriable;
  }

  /** What it means, in a few words without a full stop. */
  public String description() {
    return description;
  }

  /** The error of that number, or empty for one this version does not know. */
  public static Optional<ErrorCode> of(int code) {
    return code > 0 && code < BY_CODE.length ? Optional.of(BY_CODE[code]) : Optional.empty();
  }
}
