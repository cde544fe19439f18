/**
 * Floor 0: records, batches and their checks; the bytes that everything else moves.
 *
 * <p>Invariants: the storage unit is Kafka's record batch, format v2 (magic 2), from the producer's buffer to the
 * consumer's; a {@link kaka.record.RecordBatch} owns its bytes and never changes them. Read {@link kaka.record.RecordBatch}
 * first.
 */
package kaka.record;
