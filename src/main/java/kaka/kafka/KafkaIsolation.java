package kaka.kafka;

import kaka.log.Isolation;

/** Kafka's numbers for what a reader wants to see of transactions. */
final class KafkaIsolation {
  private static final byte READ_COMMITTED = 1;

  private KafkaIsolation() {}

  static Isolation of(byte level) {
    return level == READ_COMMITTED ? Isolation.COMMITTED : Isolation.UNCOMMITTED;
  }
}
