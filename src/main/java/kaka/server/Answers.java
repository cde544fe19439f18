package kaka.server;

import kaka.group.GroupError;
import kaka.group.GroupHandle;
import kaka.group.GroupResult;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionState;
import kaka.partition.PartitionView;
import kaka.partition.Refusal;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProtocolException;
import kaka.record.TopicPartition;
import kaka.topic.RoutingTable;
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
    return error(codeOf(reason), reason == Refusal.DISK_NEARLY_FULL ? ErrorReply.DISK_NEARLY_FULL : reason.text());
  }

  static byte[] noMemory() {
    return error(ErrorCode.MEMORY, "memory budget used up, nothing was stored or read");
  }

  static byte[] noRegistry() {
    return error(ErrorCode.UNAVAILABLE, "topics cannot be looked up, created or deleted");
  }

  /** Why a partition that has no snapshot, or whose actor has stopped, can do nothing. */
  static byte[] unusable(RoutingTable table, PartitionHandle partition) {
    TopicPartition id = partition.id();
    boolean isRouted =
        table.find(id.topic()).flatMap(route -> route.partition(id.partition())).filter(found -> found == partition).isPresent();
    if (!isRouted) {
      return error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "topic '" + id.topic() + "' was deleted");
    }
    PartitionView view = partition.view();
    return view.state() == PartitionState.FAILED
        ? error(ErrorCode.STORAGE, id + ": " + view.reason())
        : error(Refusal.CLOSED);
  }

  static byte[] error(PartitionReply.NotStored batch) {
    return error(codeOf(batch.reason()), batch.detail());
  }

  private static ErrorCode codeOf(Refusal reason) {
    return switch (reason) {
      case STORAGE_FAILED, DISK_NEARLY_FULL -> ErrorCode.STORAGE;
      case UNAVAILABLE, CLOSED -> ErrorCode.UNAVAILABLE;
      case OUT_OF_ORDER_SEQUENCE -> ErrorCode.OUT_OF_ORDER_SEQUENCE;
      case FENCED_PRODUCER -> ErrorCode.FENCED_PRODUCER;
      case UNKNOWN_PRODUCER -> ErrorCode.UNKNOWN_PRODUCER;
      case INVALID_TRANSACTION -> ErrorCode.BAD_REQUEST;
      case TOO_MANY_TRANSACTIONS -> ErrorCode.UNAVAILABLE;
    };
  }

  static byte[] error(GroupResult.Refused refused) {
    return error(codeOf(refused.reason()), refused.reason() == GroupError.DISK_NEARLY_FULL ? ErrorReply.DISK_NEARLY_FULL : refused.detail());
  }

  static byte[] error(GroupError reason) {
    return error(codeOf(reason), reason == GroupError.DISK_NEARLY_FULL ? ErrorReply.DISK_NEARLY_FULL : reason.text());
  }

  /** Groups, or their offsets, cannot be looked at. */
  static byte[] unreadable(GroupHandle groups) {
    return error(groups.isOpening() ? ErrorCode.UNAVAILABLE : ErrorCode.STORAGE, groups.unreadableReason());
  }

  static byte[] noCoordinator() {
    return error(ErrorCode.UNAVAILABLE, "groups cannot be looked up or changed");
  }

  static ErrorCode codeOf(GroupError reason) {
    return switch (reason) {
      case INVALID_GROUP_ID, INVALID_SESSION_TIMEOUT, TOO_MANY_GROUPS -> ErrorCode.INVALID_GROUP;
      case INCONSISTENT_PROTOCOL -> ErrorCode.INCONSISTENT_PROTOCOL;
      case UNKNOWN_MEMBER -> ErrorCode.UNKNOWN_MEMBER;
      case ILLEGAL_GENERATION -> ErrorCode.ILLEGAL_GENERATION;
      case REBALANCE_IN_PROGRESS -> ErrorCode.REBALANCE_IN_PROGRESS;
      case FENCED_INSTANCE -> ErrorCode.FENCED_INSTANCE;
      case GROUP_FULL -> ErrorCode.GROUP_FULL;
      case MEMORY -> ErrorCode.MEMORY;
      case NOT_EMPTY, SUBSCRIBED_TO_TOPIC -> ErrorCode.GROUP_NOT_EMPTY;
      case GROUP_NOT_FOUND -> ErrorCode.UNKNOWN_GROUP;
      case METADATA_TOO_LARGE -> ErrorCode.METADATA_TOO_LARGE;
      case UNKNOWN_TOPIC_OR_PARTITION -> ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      case INVALID_TRANSACTION -> ErrorCode.BAD_REQUEST;
      case STALE_EPOCH -> ErrorCode.ILLEGAL_GENERATION;
      case FENCED_EPOCH, UNRELEASED_INSTANCE, UNSUPPORTED_ASSIGNOR, INVALID_PATTERN, SUBSCRIPTION_TOO_LARGE -> // not asked for here
          ErrorCode.BAD_REQUEST;
      case DISK_NEARLY_FULL, STORAGE -> ErrorCode.STORAGE;
      case SHUTTING_DOWN -> ErrorCode.SHUTTING_DOWN;
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
