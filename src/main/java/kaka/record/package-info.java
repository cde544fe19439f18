/**
 * Floor 0: records, batches and their checks; the bytes that everything else moves.
 *
 * <p>Invariants: the storage unit is Kafka's record batch, format v2 (magic 2), from the producer's buffer to the
 * consumer's; a {@link kaka.record.RecordBatch} owns its bytes and never changes them. What a client made passes
 * {@link kaka.record.BatchValidation}. Of Kafka's library this package uses the codec streams of
 * {@code org.apache.kafka.common.compress}, and the buffer types in their signatures, in {@link kaka.record.Codec},
 * {@link kaka.record.BatchCompression} and {@link kaka.record.BatchFilter} only, so that no start loads them. Read {@link kaka.record.RecordBatch} first.
 */
package kaka.record;
