package kaka.client;

import kaka.protocol.ProducerIdentity;

/**
 * Numbers an idempotent producer's batches, so that the broker recognises one that is sent again (PROTOCOL.md, section 7). The
 * sequence counts the records of one partition within an epoch, without gap; a partition whose batch was given up goes on in
 * the next epoch, from 0. On the loop's thread.
 */
final class BatchNumbering {
  /** So many batches the broker remembers: of one more in flight nobody could tell later whether it was stored. */
  static final int MAX_IN_FLIGHT = 5;

  private ProducerIdentity identity; // null until the broker has given one

  boolean hasIdentity() {
    return identity != null;
  }

  /** For good: it outlives connections, and the broker's restarts. */
  void setIdentity(ProducerIdentity identity) {
    this.identity = identity;
  }

  /** Numbers {@code batch} as the next of its partition, unless it has its number from before. */
  void number(PendingBatch batch) {
    if (batch.isNumbered()) {
      return;
    }
    PartitionQueue queue = batch.queue();
    short epoch = (short) (identity.epoch() + queue.epochsBegun);
    batch.number(new ProducerIdentity(identity.id(), epoch), queue.nextSequence);
    queue.nextSequence = (queue.nextSequence + batch.recordCount()) & Integer.MAX_VALUE;
  }

  /** @return false if there is no further epoch */
  boolean beginEpoch(PartitionQueue queue) {
    if (identity.epoch() + queue.epochsBegun == Short.MAX_VALUE) {
      return false;
    }
    queue.epochsBegun++;
    queue.nextSequence = 0;
    return true;
  }
}
