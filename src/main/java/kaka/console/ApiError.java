package kaka.console;

/**
 * Why the API does not answer as asked: what becomes a status and an {@code error} object. Thrown by whoever finds out, however
 * deep, and caught in one place, {@link Api}.
 */
final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String advice;

  private ApiError(int status, String code, String message, String advice) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.advice = advice;
  }

  static ApiError of(int status, String code, String message) {
    return new ApiError(status, code, message, "");
  }

  /** A parameter, a field or a value is not one that can be. */
  static ApiError badRequest(String message) {
    return of(400, "bad_request", message);
  }

  static ApiError unknownTopic(String topic) {
    return of(404, "unknown_topic", "no topic '" + topic + "'");
  }

  static ApiError unknownPartition(String topic, long partition) {
    return of(404, "unknown_partition", "topic '" + topic + "' has no partition " + partition);
  }

  static ApiError unknownGroup(String group) {
    return of(404, "unknown_group", "no group '" + group + "'");
  }

  static ApiError noMemory() {
    return of(503, "memory", "the broker's memory budget is used up, nothing was stored or read").advising("try again, or ask for less");
  }

  static ApiError storage(String message) {
    return of(503, "storage", message);
  }

  static ApiError unavailable(String message) {
    return of(503, "unavailable", message).advising("try again");
  }

  static ApiError busy() {
    return of(429, "busy", "as many requests as may be are being worked on").advising("try again in a second");
  }

  /** @param message what to do about it, for people */
  ApiError advising(String message) {
    return new ApiError(status, code, getMessage(), message);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  /** Whether the same may be answered in a second. */
  boolean isRetriable() {
    return status == 429 || status == 503 && !code.equals("storage");
  }

  /** Its fields, into the {@code error} object of an answer. */
  void writeTo(JsonWriter out) {
    out.object("error").put("code", code).put("message", getMessage()).put("advice", advice).end();
  }

  ApiAnswer answer() {
    JsonWriter out = new JsonWriter();
    writeTo(out);
    return ApiAnswer.json(status, out).retriable(isRetriable());
  }
}
