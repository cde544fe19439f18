package kaka.log;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import kaka.log.ProducerCheck.Reason;
import kaka.record.RecordBatch;

/**
 * What a partition remembers of its idempotent producers (KIP-98): for each producer id its epoch and its last
 * {@value #REMEMBERED_BATCHES} batches, so that a batch sent again is recognised. Pure: no file, no clock. Has the log's owner.
 *
 * <pre>
 *    producer   epoch   sequence                             decision
 * A  unknown    any     0                                    accepted
 * B  unknown    any     above 0                              refused, UNKNOWN_PRODUCER
 * C  known      older   any                                  refused, FENCED
 * D  known      newer   0                                    accepted; the older epoch is forgotten
 * E  known      newer   above 0                              refused, OUT_OF_ORDER
 * F  known      same    first and last of a remembered one   duplicate, with its offset
 * G  known      same    the last one's plus 1                accepted
 * H  known      same    any other                            refused, OUT_OF_ORDER
 * </pre>
 *
 * The sequence counts a producer's records in this partition; after 2^31 - 1 comes 0. Kafka accepts B. It is refused here
 * because what is not remembered can be a batch that was stored: its producer, who knows whether it sent the batch before, can
 * begin anew (a newer epoch, sequence 0) and give nothing twice.
 *
 * <p><b>Bounds.</b> At most {@value #MAX_PRODUCERS} producers, about 1 MiB; the one that has not written for longest goes
 * first. Every client that ever wrote would stay otherwise (redpanda#7570). One that has not written for a day may go as well
 * (Kafka's {@code producer.id.expiration.ms}). Who is gone meets B and goes on.
 */
final class ProducerState {
  static final int REMEMBERED_BATCHES = 5;
  static final int MAX_PRODUCERS = 4096;
  static final long EXPIRY_MS = 24 * 60 * 60 * 1000L;

  /** Least recently used first. */
  private final LinkedHashMap<Long, Producer> producers = new LinkedHashMap<>(16, 0.75f, true);

  /** The last batches of one producer, oldest first. Never without one. */
  static final class Producer {
    private final long id;
    private final int[] firstSequences = new int[REMEMBERED_BATCHES];
    private final int[] lastSequences = new int[REMEMBERED_BATCHES];
    private final long[] baseOffsets = new long[REMEMBERED_BATCHES];
    private short epoch;
    private int count;
    private long lastUsedMs;

    private Producer(long id) {
      this.id = id;
    }

    long id() {
      return id;
    }

    short epoch() {
      return epoch;
    }

    /** When its last batch came, in milliseconds since 1970. */
    long lastUsedMs() {
      return lastUsedMs;
    }

    /** How many batches are remembered, 1 to {@link #REMEMBERED_BATCHES}. */
    int count() {
      return count;
    }

    int firstSequence(int i) {
      return firstSequences[i];
    }

    int lastSequence(int i) {
      return lastSequences[i];
    }

    long baseOffset(int i) {
      return baseOffsets[i];
    }

    private int lastSequence() {
      return lastSequences[count - 1];
    }

    private void add(short batchEpoch, int firstSequence, int lastSequence, long baseOffset, long nowMs) {
      if (batchEpoch != epoch) {
        epoch = batchEpoch;
        count = 0;
      }
      if (count == REMEMBERED_BATCHES) {
        count--;
        System.arraycopy(firstSequences, 1, firstSequences, 0, count);
        System.arraycopy(lastSequences, 1, lastSequences, 0, count);
        System.arraycopy(baseOffsets, 1, baseOffsets, 0, count);
      }
      firstSequences[count] = firstSequence;
      lastSequences[count] = lastSequence;
      baseOffsets[count] = baseOffset;
      count++;
      lastUsedMs = nowMs;
    }
  }

  /** Whether it is numbered by an idempotent producer; transaction markers are not. */
  static boolean isNumbered(RecordBatch batch) {
    return batch.producerId() >= 0 && batch.baseSequence() >= 0;
  }

  /** Decides about a batch that {@link #isNumbered}; changes nothing but who was looked at last. */
  ProducerCheck check(RecordBatch batch) {
    int sequence = batch.baseSequence();
    Producer producer = producers.get(batch.producerId());
    if (producer == null) {
      return sequence == 0
          ? ProducerCheck.Accepted.INSTANCE // A
          : refused(Reason.UNKNOWN_PRODUCER, batch, "nothing is remembered of it"); // B
    }
    if (batch.producerEpoch() < producer.epoch) {
      return refused(Reason.FENCED, batch, "epoch " + producer.epoch + " has written"); // C
    }
    if (batch.producerEpoch() > producer.epoch) {
      return sequence == 0
          ? ProducerCheck.Accepted.INSTANCE // D
          : refused(Reason.OUT_OF_ORDER, batch, "a new epoch begins with 0"); // E
    }
    int last = lastSequence(batch);
    for (int i = producer.count - 1; i >= 0; i--) {
      if (producer.firstSequences[i] == sequence && producer.lastSequences[i] == last) {
        return new ProducerCheck.Duplicate(producer.baseOffsets[i]); // F
      }
    }
    int expected = plus(producer.lastSequence(), 1);
    return sequence == expected
        ? ProducerCheck.Accepted.INSTANCE // G
        : refused(Reason.OUT_OF_ORDER, batch, expected + " is next"); // H
  }

  private static ProducerCheck refused(Reason reason, RecordBatch batch, String why) {
    return new ProducerCheck.Refused(
        reason,
        "producer " + batch.producerId() + " epoch " + batch.producerEpoch() + " sequence " + batch.baseSequence() + ": " + why);
  }

  /** Remembers a batch that {@link #isNumbered} and is in the log, whatever {@link #check} would say: the log is the truth. */
  void add(RecordBatch batch, long baseOffset, long nowMs) {
    add(batch.producerId(), batch.producerEpoch(), batch.baseSequence(), lastSequence(batch), baseOffset, nowMs);
  }

  void add(long id, short epoch, int firstSequence, int lastSequence, long baseOffset, long nowMs) {
    Producer producer = producers.get(id);
    if (producer == null) {
      forgetOld(nowMs);
      producer = new Producer(id);
      producers.put(id, producer);
    }
    producer.add(epoch, firstSequence, lastSequence, baseOffset, nowMs);
  }

  /** Makes room for one more, and lets go of those that have not written for long. */
  private void forgetOld(long nowMs) {
    Iterator<Producer> each = producers.values().iterator();
    while (each.hasNext()) {
      Producer eldest = each.next();
      if (producers.size() < MAX_PRODUCERS && nowMs - eldest.lastUsedMs <= EXPIRY_MS) {
        return;
      }
      each.remove();
    }
  }

  private static int lastSequence(RecordBatch batch) {
    return plus(batch.baseSequence(), batch.lastOffsetDelta());
  }

  /** The sequence {@code count} after {@code sequence}: 31 bits, as Kafka counts. */
  static int plus(int sequence, int count) {
    return (sequence + count) & Integer.MAX_VALUE;
  }

  /** Forgets everything. */
  void clear() {
    producers.clear();
  }

  boolean isEmpty() {
    return producers.isEmpty();
  }

  /** All of them, least recently used first. */
  Collection<Producer> producers() {
    return Collections.unmodifiableCollection(producers.values());
  }
}
