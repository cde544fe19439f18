package kaka.kafka;

import java.util.Locale;
import java.util.Optional;
import kaka.group.GroupError;
import kaka.group.GroupHandle;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.partition.Refusal;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRefusal;
import org.apache.kafka.common.protocol.Errors;

/**
 * The broker's reasons in Kafka's words. Clients try again by themselves after some of them and give up at once after others:
 *
 * <pre>
 * reason                      error                          a producer
 * the disk failed             KAFKA_STORAGE_ERROR            tries again until its time is up
 * the disk is nearly full     NOT_ENOUGH_REPLICAS            tries again: it helps once there is room
 * no memory                   NOT_ENOUGH_REPLICAS            tries again: it helps soon
 * the partition is opening    NOT_LEADER_OR_FOLLOWER         tries again: it helps soon
 * closed, deleted             UNKNOWN_TOPIC_OR_PARTITION     tries again until its time is up: it may be created anew
 * closed, broker stops        NOT_LEADER_OR_FOLLOWER         tries again
 * sequence with a gap         OUT_OF_ORDER_SEQUENCE_NUMBER   decides by what it has in flight
 * an older epoch              INVALID_PRODUCER_EPOCH         gives up
 * producer forgotten          UNKNOWN_PRODUCER_ID            begins anew
 * not in a transaction        INVALID_TXN_STATE              gives up
 * too many open transactions  NOT_ENOUGH_REPLICAS            tries again: it helps when others end theirs
 *
 *                                                            a consumer that commits
 * the offsets' log failed     KAFKA_STORAGE_ERROR            gives up
 * the disk is nearly full     COORDINATOR_NOT_AVAILABLE      tries again
 * no memory for groups        COORDINATOR_LOAD_IN_PROGRESS   tries again
 * </pre>
 */
final class KafkaErrors {
  /** Kafka's clients know no error that means "not now, for want of room" but this one, which all of them try again after. */
  static final Errors NO_ROOM = Errors.NOT_ENOUGH_REPLICAS;

  static final String NO_MEMORY = "the broker's memory budget is used up, nothing was stored: try again";

  private KafkaErrors() {}

  /** For metrics: the error's name. */
  static String label(Errors error) {
    return error.name().toLowerCase(Locale.ROOT);
  }

  static Errors of(Refusal reason) {
    return switch (reason) {
      case STORAGE_FAILED -> Errors.KAFKA_STORAGE_ERROR;
      case DISK_NEARLY_FULL -> NO_ROOM;
      case UNAVAILABLE, CLOSED -> Errors.NOT_LEADER_OR_FOLLOWER;
      case OUT_OF_ORDER_SEQUENCE -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
      case FENCED_PRODUCER -> Errors.INVALID_PRODUCER_EPOCH;
      case UNKNOWN_PRODUCER -> Errors.UNKNOWN_PRODUCER_ID;
      case INVALID_TRANSACTION -> Errors.INVALID_TXN_STATE;
      case TOO_MANY_TRANSACTIONS -> NO_ROOM;
    };
  }

  /** @param invalid the error for what a topic cannot be or have, which Kafka has several words for */
  static Errors of(TopicRefusal reason, Errors invalid) {
    return switch (reason) {
      case EXISTS -> Errors.TOPIC_ALREADY_EXISTS;
      case INVALID -> invalid;
      case UNKNOWN_TOPIC_OR_PARTITION -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
      case STORAGE_FAILED -> Errors.KAFKA_STORAGE_ERROR;
      case SHUTTING_DOWN -> Errors.NOT_CONTROLLER;
    };
  }

  static Errors of(GroupError reason) {
    return switch (reason) {
      case INVALID_GROUP_ID -> Errors.INVALID_GROUP_ID;
      case INVALID_SESSION_TIMEOUT -> Errors.INVALID_SESSION_TIMEOUT;
      case INCONSISTENT_PROTOCOL -> Errors.INCONSISTENT_GROUP_PROTOCOL;
      case UNKNOWN_MEMBER -> Errors.UNKNOWN_MEMBER_ID;
      case ILLEGAL_GENERATION -> Errors.ILLEGAL_GENERATION;
      case REBALANCE_IN_PROGRESS -> Errors.REBALANCE_IN_PROGRESS;
      case FENCED_INSTANCE -> Errors.FENCED_INSTANCE_ID;
      case GROUP_FULL, TOO_MANY_GROUPS -> Errors.GROUP_MAX_SIZE_REACHED;
      case MEMORY -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
      case NOT_EMPTY -> Errors.NON_EMPTY_GROUP;
      case GROUP_NOT_FOUND -> Errors.GROUP_ID_NOT_FOUND;
      case SUBSCRIBED_TO_TOPIC -> Errors.GROUP_SUBSCRIBED_TO_TOPIC;
      case METADATA_TOO_LARGE -> Errors.OFFSET_METADATA_TOO_LARGE;
      case UNKNOWN_TOPIC_OR_PARTITION -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
      case FENCED_EPOCH -> Errors.FENCED_MEMBER_EPOCH;
      case STALE_EPOCH -> Errors.STALE_MEMBER_EPOCH;
      case UNRELEASED_INSTANCE -> Errors.UNRELEASED_INSTANCE_ID;
      case UNSUPPORTED_ASSIGNOR -> Errors.UNSUPPORTED_ASSIGNOR;
      case INVALID_PATTERN -> Errors.INVALID_REGULAR_EXPRESSION;
      case SUBSCRIPTION_TOO_LARGE -> Errors.INVALID_REQUEST;
      case INVALID_TRANSACTION -> Errors.INVALID_TXN_STATE;
      case STORAGE -> Errors.KAFKA_STORAGE_ERROR;
      case DISK_NEARLY_FULL, SHUTTING_DOWN -> Errors.COORDINATOR_NOT_AVAILABLE;
    };
  }

  static short codeOf(Optional<GroupError> reason) {
    return reason.map(KafkaErrors::of).orElse(Errors.NONE).code();
  }

  /** Why committed offsets cannot be read now; none if they can. */
  static Errors of(GroupHandle groups) {
    if (groups.isReadable()) {
      return Errors.NONE;
    }
    return groups.isOpening() ? Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.KAFKA_STORAGE_ERROR;
  }

  /** What a partition that has no snapshot, or whose actor has stopped, answers to everything. */
  static Errors unusable(RoutingTable table, PartitionHandle partition) {
    boolean isRouted =
        table
            .find(partition.id().topic())
            .flatMap(route -> route.partition(partition.id().partition()))
            .filter(found -> found == partition)
            .isPresent();
    if (!isRouted) {
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    return partition.view().state() == PartitionState.FAILED ? Errors.KAFKA_STORAGE_ERROR : Errors.NOT_LEADER_OR_FOLLOWER;
  }
}
