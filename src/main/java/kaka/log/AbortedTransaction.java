package kaka.log;

/**
 * A transaction that was aborted: what its producer wrote from {@code firstOffset} to {@code lastOffset} is to be taken for never
 * written.
 *
 * @param firstOffset of its first batch
 * @param lastOffset of the marker that ended it
 * @param lastStableOffset what that was as soon as this transaction had ended: whatever ends later begins at or after it
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset, long lastStableOffset) {}
