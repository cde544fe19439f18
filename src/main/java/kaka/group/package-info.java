/**
 * Floor 2: consumer groups. The coordinator is the sole owner of committed offsets, which are durable, and of who is a member
 * of which group, which is not: after a restart members join again.
 *
 * <p>Invariants: what is durable changes by an event only, written and synced first, then applied by the code that replays it
 * at a start; an answer that rests on an event goes out after that; a generation is never given out twice while its group
 * exists; offsets belong to a topic's id, so a re-created topic inherits none. Decisions are made without Akka, by {@link kaka.group.GroupState} and {@link kaka.group.ConsumerGroup}. Read {@link kaka.group.GroupCoordinator} first,
 * then {@link kaka.group.ConsumerGroup} and the table of {@link kaka.group.GroupPhase}.
 */
package kaka.group;
