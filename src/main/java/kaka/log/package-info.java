/**
 * Floor 1: segments, offset and time index, recovery, retention; starts no thread.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>{@code logStartOffset <= highWatermark <= logEndOffset}; appends leave no gap, and no offset is given twice.
 *   <li>A {@link kaka.log.PartitionLog} has one owner at a time; everybody else reads {@link kaka.log.LogSnapshot}s.
 *   <li>The log is the truth, an index only a hint: what it says is checked against the batch it points to.
 *   <li>The recovery point may lag behind what is on disk, never lead. The log start is durable before a file goes.
 *   <li>A sealed segment's file, and a closed log's, is as long as its batches. Behind those of the active segment there may be zeros,
 *       which nobody reads: sizes go by the log's end.
 *   <li>What is remembered of producers follows from the log: from a snapshot at each roll and the batches after it.
 *   <li>Batches follow each other without gap in a compacted log too: empty ones stand for what went.
 *   <li>The mark of a clean stop is there only while nothing has been written since; an open takes it back first.
 *   <li>After a failed write or sync the log takes nothing more; what was acknowledged stays readable.
 *   <li>Every file operation goes through {@link kaka.log.Disk}.
 * </ul>
 *
 * Read {@link kaka.log.PartitionLog} first, then {@link kaka.log.ActiveSegment} for the way in, {@link kaka.log.LogSnapshot}
 * for the way out, {@link kaka.log.TailRecovery} for what a crash leaves, {@link kaka.log.CleanStop} for what an ordered stop
 * does, and {@link kaka.log.ProducerState} for which batches are stored already.
 */
package kaka.log;
