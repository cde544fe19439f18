/**
 * Floor 2: one actor per partition, the sole owner of its log: order, group commit, high watermark, waiting fetches.
 *
 * <p>Invariants: a log has one writer, its {@link kaka.partition.PartitionActor}; what is acknowledged is on disk; a failed
 * write or sync is for good; readers take the published {@link kaka.partition.PartitionView} and never wait for the actor.
 * Read {@link kaka.partition.PartitionActor} first.
 */
package kaka.partition;
