/**
 * Floor 3: which topics exist. The registry creates and deletes them, durably, spawns their partitions, and publishes the
 * routing table that every front door reads without asking.
 *
 * <p>Invariants: the registry's log is the truth, directories follow it; a topic has an id from its creation, and a
 * re-created one has another; a table once published never changes. Only where that log is damaged do directories say which
 * topics there are ({@code FoundTopics}), and then nothing is created, deleted or expired, so that nothing rests on a guess.
 * Read {@link kaka.topic.TopicRegistry} first.
 */
package kaka.topic;
