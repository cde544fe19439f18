/**
 * Floor 2: consumer groups. The coordinator is the sole owner of committed offsets, which are durable, and of who is a member
 * of which group. Members of the classic protocol are not durable: after a restart they join again. Those of the newer one
 * (KIP-848) are: who, of which epoch, with which partitions.
 *
 * <p>Invariants: what is durable changes by an event only, written and synced first, then applied by the code that replays it
 * at a start; an answer that rests on an event goes out after that; a generation or epoch is never given out twice while its group
 * exists; a partition goes to a member of the newer protocol when no other has it any more; offsets belong to a topic's id, so a
 * re-created topic inherits none. Decisions are made without Akka, by {@link kaka.group.GroupState}, {@link
 * kaka.group.ConsumerGroup} and {@link kaka.group.EpochGroup}. Read {@link kaka.group.GroupCoordinator} first, then {@link
 * kaka.group.ConsumerGroup} with the table of {@link kaka.group.GroupPhase}, and {@link kaka.group.EpochGroup} with its own.
 *
 * <p>Apache Kafka's {@code kafka-group-coordinator} (4.4.0) was weighed against this and not taken. It is a replayable state machine
 * too, but brings 19 jars and 7.6 MiB that kaka has not, among them Kafka's metadata image, Raft, storage, Jackson and a second metrics
 * library, as internal interfaces that change with each release; the newer protocol here is some 1,600 lines and RE2/J, 0.1 MiB. It
 * would replace committed offsets, transactional ones and the classic protocol at once, with another format of their log, and it counts
 * no bytes, so the memory of groups would have no bound. Kafka's own clients are the check of the protocol in either case.
 */
package kaka.group;
