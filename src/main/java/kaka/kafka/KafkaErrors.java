package kaka.kafka;

import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.partition.Refusal;
import kaka.record.InvalidBatchException;
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
 * </pre>
 */
final class KafkaErrors {
  /** Kafka's clients know no error that means "not now, for want of room" but this one, which all of them try again after. */
  static final Errors NO_ROOM = Errors.NOT_ENOUGH_REPLICAS;

  static final String NO_MEMORY = "the broker's memory budget is used up, nothing was stored: try again";

  private KafkaErrors() {}

  static Errors of(Refusal reason) {
    return switch (reason) {
      case STORAGE_FAILED -> Errors.KAFKA_STORAGE_ERROR;
      case DISK_NEARLY_FULL -> NO_ROOM;
      case UNAVAILABLE, CLOSED -> Errors.NOT_LEADER_OR_FOLLOWER;
      case OUT_OF_ORDER_SEQUENCE -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
      case FENCED_PRODUCER -> Errors.INVALID_PRODUCER_EPOCH;
      case UNKNOWN_PRODUCER -> Errors.UNKNOWN_PRODUCER_ID;
    };
  }

  static Errors of(TopicRefusal reason) {
    return switch (reason) {
      case EXISTS -> Errors.TOPIC_ALREADY_EXISTS;
      case INVALID -> Errors.INVALID_TOPIC_EXCEPTION;
      case UNKNOWN_TOPIC_OR_PARTITION -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
      case STORAGE_FAILED -> Errors.KAFKA_STORAGE_ERROR;
      case SHUTTING_DOWN -> Errors.NOT_CONTROLLER;
    };
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
