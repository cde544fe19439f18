/**
 * Floor 5: the Kafka front door: makes an exchange of every request of Apache Kafka's protocol, and its answer.
 *
 * <p>Invariants: the codec is Kafka's own message classes, nothing of it is written here; a request is charged for what it
 * becomes in memory while it is read, and refused before if its elements were chosen to keep Kafka's collections busy; what
 * {@link kaka.kafka.Apis} lists is what a client is told and what is answered, no more and no less; a fetch holds a few slices,
 * however much it asks for. A client that breaks the protocol has no other answer than the end of its connection, after the
 * answers to what it asked before. Read {@link kaka.kafka.KafkaIntake} first.
 */
package kaka.kafka;
