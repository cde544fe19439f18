package kaka.record;

import java.util.List;

/**
 * One record, taken out of its batch; its arrays are its own.
 *
 * @param offset its number in the partition
 * @param timestampMs milliseconds since 1970, as the producer or the broker stamped it
 * @param key its bytes, or null: a record without key
 * @param value its bytes, or null: in a compacted topic the mark that deletes its key
 * @param headers in the order they were given
 */
public record Record(long offset, long timestampMs, byte[] key, byte[] value, List<Header> headers) {
  public Record {
    headers = List.copyOf(headers);
  }
}
