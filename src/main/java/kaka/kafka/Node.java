package kaka.kafka;

/** This broker as Kafka's clients see it: the only one of its cluster. */
final class Node {
  static final int ID = 1;

  /** Of every partition: there is one leader, and there was no other before. */
  static final int LEADER_EPOCH = 0;

  private Node() {}

  static String clusterId(Call call) {
    return Topics.id(call.services().brokerId()).toString();
  }
}
