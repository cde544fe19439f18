package kaka.protocol;

import java.util.Arrays;
import java.util.Optional;

/** Why a request was not done, as an ERROR says it. A broker newer than its client may send codes that are not here. */
public enum ErrorCode {
  BAD_REQUEST(1, false, "the request's bytes make no sense; nothing was done"),
  UNKNOWN_TOPIC_OR_PARTITION(2, false, "no such topic, or no such partition in it"),
  MEMORY(3, true, "the broker's memory budget is used up; nothing was stored"),
  STORAGE(4, false, "the partition cannot do that: its disk failed, is damaged or is nearly full"),
  TOO_LARGE(5, false, "the frame or batch is larger than the broker takes"),
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
  POLICY_VIOLATION(16, false, "the topic's settings do not allow that; nothing was changed"),
  UNKNOWN_MEMBER(20, false, "the group has no such member, or has members and the request is from none: join"),
  ILLEGAL_GENERATION(21, false, "that was another generation of the group: join again"),
  REBALANCE_IN_PROGRESS(22, false, "the group's members are changing: join again"),
  FENCED_INSTANCE(23, false, "another member has taken over this instance's name"),
  GROUP_NOT_EMPTY(24, false, "the group has members"),
  UNKNOWN_GROUP(25, false, "no such group"),
  INVALID_GROUP(26, false, "not a legal group name, session timeout or number of groups"),
  GROUP_FULL(27, false, "the group has as many members as it may have"),
  METADATA_TOO_LARGE(28, false, "the offset's metadata is too long"),
  INCONSISTENT_PROTOCOL(29, false, "the group's members have no way of assigning in common with this one");

  private static final int MAX_CODE = Arrays.stream(values()).mapToInt(ErrorCode::code).max().orElse(0);

  private static final ErrorCode[] BY_CODE = new ErrorCode[MAX_CODE + 1];

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
    return code > 0 && code < BY_CODE.length ? Optional.ofNullable(BY_CODE[code]) : Optional.empty();
  }
}
