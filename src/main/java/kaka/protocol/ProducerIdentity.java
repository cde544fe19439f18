package kaka.protocol;

/**
 * Who an idempotent producer is, in the headers of its batches (KIP-98).
 *
 * @param id given by the broker, to one producer, once; at least 0
 * @param epoch at least 0; the producer raises it to begin anew with sequence 0
 */
public record ProducerIdentity(long id, short epoch) {
  public ProducerIdentity {
    if (id < 0 || epoch < 0) {
      throw new IllegalArgumentException("producer id " + id + ", epoch " + epoch);
    }
  }
}
