package kaka.log;

import java.util.OptionalLong;

/**
 * What a partition remembers of one producer.
 *
 * @param lastSequence -1 if nothing of its epoch is remembered
 * @param lastUsedMs when it last wrote, or a transaction of it ended
 * @param coordinatorEpoch of the last end of a transaction, -1 if there was none
 * @param transactionStart first offset of its open transaction
 */
public record ActiveProducer(
    long producerId,
    short epoch,
    int lastSequence,
    long lastUsedMs,
    int coordinatorEpoch,
    OptionalLong transactionStart) {
  static ActiveProducer of(ProducerState.Producer producer) {
    boolean isOpen = producer.transactionStart() != ProducerState.NO_OFFSET;
    return new ActiveProducer(
        producer.id(),
        producer.epoch(),
        producer.lastSequence(),
        producer.lastUsedMs(),
        producer.coordinatorEpoch(),
        isOpen ? OptionalLong.of(producer.transactionStart()) : OptionalLong.empty());
  }
}
