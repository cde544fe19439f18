package kaka.console;

import java.time.Duration;

/**
 * Why the API does not answer as asked: what becomes a status and an {@code error} object. Thrown by whoever finds out, however
 * deep, and caught in one place, {@link Api}.
 */
final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String advice;
  private final int retryAfterSeconds;

  private ApiError(int status, String code, String message, String advice, int retryAfterSeconds) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.advice = advice;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static ApiError of(int status, String code, String message) {
    boolean isRetriable = status == 429 || status == 503 && !code.equals("storage");
    return new ApiError(status, code, message, "", isRetriable ? 1 : 0);
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

  /** @param owed until when what the client has moved is paid for */
  static ApiError throttled(String client, String what, Duration owed) {
    int seconds = (int) Math.min(Integer.MAX_VALUE, owed.plusNanos(999_999_999).toSeconds());
    String message = "client '" + client + "' has " + what + " more than its quota";
    return new ApiError(429, "quota", message, "go on in " + seconds + " s", seconds);
  }

  /** @param message what to do about it, for people */
  ApiError advising(String message) {
    return new ApiError(status, code, getMessage(), message, retryAfterSeconds);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  /** When the same may be answered; 0: not by waiting. */
  int retryAfterSeconds() {
    return retryAfterSeconds;
  }

  /** Its fields, into the {@code error} object of an answer. */
  void writeTo(JsonWriter out) {
    out.object("error").put("code", code).put("message", getMessage()).put("advice", advice).end();
  }

  ApiAnswer answer() {
    JsonWriter out = new JsonWriter();
    writeTo(out);
    return ApiAnswer.json(status, out).retryAfter(retryAfterSeconds);
  }
}
