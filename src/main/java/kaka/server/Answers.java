package kaka.server;

import kaka.partition.Refusal;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProtocolException;
import kaka.topic.TopicRefusal;

/** The broker's reasons in the native protocol's words. */
final class Answers {
  private Answers() {}

  static byte[] error(ErrorCode code, String message) {
    return new ErrorReply(code, message).toFrame();
  }

  static byte[] error(ProtocolException e) {
    return error(e.code(), e.getMessage());
  }

  static byte[] error(Refusal reason) {
    return error(codeOf(reason), reason.text());
  }

  private static ErrorCode codeOf(Refusal reason) {
    return switch (reason) {
      case STORAGE_FAILED, DISK_NEARLY_FULL -> ErrorCode.STORAGE;
      case UNAVAILABLE, CLOSED -> ErrorCode.UNAVAILABLE;
    };
  }

  static ErrorCode codeOf(TopicRefusal reason) {
    return switch (reason) {
      case EXISTS -> ErrorCode.TOPIC_EXISTS;
      case INVALID -> ErrorCode.INVALID_TOPIC;
      case UNKNOWN_TOPIC_OR_PARTITION -> ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      case STORAGE_FAILED -> ErrorCode.STORAGE;
      case SHUTTING_DOWN -> ErrorCode.SHUTTING_DOWN;
    };
  }
}
