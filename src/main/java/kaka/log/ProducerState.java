package kaka.log;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.TreeMap;
import kaka.log.ProducerCheck.Reason;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;

/**
 * What a partition remembers of its idempotent producers (KIP-98): for each producer id its epoch and its last
 * {@value #REMEMBERED_BATCHES} batches, so that a batch sent again is recognised; and where its open transaction begins. Pure: no
 * file, no clock. Has the log's owner.
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
 * Before D to H, where the producer has a transaction open: a batch of a newer epoch, or one that is not transactional, is
 * refused, INVALID_TRANSACTION, for one of both would be taken for a part of it. And before A, where every producer that can be
 * remembered has one open: refused, TOO_MANY_TRANSACTIONS.
 *
 * <pre>
 *    producer   epoch   transaction   decision about a marker, which ends a transaction
 * I  unknown    any     -             written, if it can be remembered: from now on an older epoch is fenced
 * J  known      older   any           FENCED
 * K  known      same    open          written
 * L  known      same    none          ENDED: it is there already, or there is nothing to end
 * M  known      newer   any           written: an older epoch is fenced
 * </pre>
 *
 * The sequence counts a producer's records in this partition; after 2^31 - 1 comes 0. Kafka accepts B. It is refused here
 * because what is not remembered can be a batch that was stored: its producer, who knows whether it sent the batch before, can
 * begin anew (a newer epoch, sequence 0) and give nothing twice.
 *
 * <p><b>Bounds.</b> At most {@value #MAX_PRODUCERS} producers, about 1 MiB; the one that has not written for longest goes
 * first. Every client that ever wrote would stay otherwise (redpanda#7570). One that has not written for a day may go as well
 * (Kafka's {@code producer.id.expiration.ms}). Who is gone meets B and goes on. One with an open transaction stays.
 */
final class ProducerState {
  static final int REMEMBERED_BATCHES = 5;
  static final int MAX_PRODUCERS = 4096;
  static final long EXPIRY_MS = 24 * 60 * 60 * 1000L;

  /** Marks that there is none. */
  static final long NO_OFFSET = -1;

  /** Least recently used first. */
  private final LinkedHashMap<Long, Producer> producers = new LinkedHashMap<>(16, 0.75f, true);

  /** First offset of each open transaction: whose it is. */
  private final TreeMap<Long, Long> open = new TreeMap<>();

  private long transactionsFrom = Long.MAX_VALUE;

  /** The last batches of one producer, oldest first; none where the last that came of it was a marker of a newer epoch. */
  static final class Producer {
    private final long id;
    private final int[] firstSequences = new int[REMEMBERED_BATCHES];
    private final int[] lastSequences = new int[REMEMBERED_BATCHES];
    private final long[] baseOffsets = new long[REMEMBERED_BATCHES];
    private short epoch;
    private int coordinatorEpoch = -1;
    private long transactionStart = NO_OFFSET;
    private int count;
    private long lastUsedMs;

    private Producer(long id) {
      this.id = id;
    }

    private Producer copy() {
      Producer copy = new Producer(id);
      copy.epoch = epoch;
      copy.coordinatorEpoch = coordinatorEpoch;
      copy.transactionStart = transactionStart;
      copy.count = count;
      copy.lastUsedMs = lastUsedMs;
      System.arraycopy(firstSequences, 0, copy.firstSequences, 0, count);
      System.arraycopy(lastSequences, 0, copy.lastSequences, 0, count);
      System.arraycopy(baseOffsets, 0, copy.baseOffsets, 0, count);
      return copy;
    }

    long id() {
      return id;
    }

    short epoch() {
      return epoch;
    }

    /** Of the last marker, -1 if there was none. */
    int coordinatorEpoch() {
      return coordinatorEpoch;
    }

    /** First offset of its open transaction, or {@link #NO_OFFSET}. */
    long transactionStart() {
      return transactionStart;
    }

    /** When its last batch came, in milliseconds since 1970. */
    long lastUsedMs() {
      return lastUsedMs;
    }

    /** How many batches are remembered, 0 to {@link #REMEMBERED_BATCHES}. */
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

    /** Of its last batch; -1 if none is remembered. */
    int lastSequence() {
      return count == 0 ? -1 : lastSequences[count - 1];
    }

    private void enter(short newEpoch, long nowMs) {
      if (newEpoch != epoch) {
        epoch = newEpoch;
        count = 0;
      }
      lastUsedMs = nowMs;
    }

    private void add(int firstSequence, int lastSequence, long baseOffset) {
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
      if (open.size() >= MAX_PRODUCERS) {
        return refused(Reason.TOO_MANY_TRANSACTIONS, batch, open.size() + " are open");
      }
      return sequence == 0
          ? ProducerCheck.Accepted.INSTANCE // A
          : refused(Reason.UNKNOWN_PRODUCER, batch, "nothing is remembered of it"); // B
    }
    if (batch.producerEpoch() < producer.epoch) {
      return refused(Reason.FENCED, batch, "epoch " + producer.epoch + " has written"); // C
    }
    boolean isPart = batch.isTransactional() && batch.producerEpoch() == producer.epoch;
    if (producer.transactionStart != NO_OFFSET && !isPart) {
      return refused(Reason.INVALID_TRANSACTION, batch, "the transaction of epoch " + producer.epoch + " is open");
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
    int expected = producer.count == 0 ? 0 : plus(producer.lastSequence(), 1);
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
    if (batch.isTransactional()) {
      beginTransaction(batch.producerId(), baseOffset);
    }
  }

  void add(long id, short epoch, int firstSequence, int lastSequence, long baseOffset, long nowMs) {
    Producer producer = producerOf(id, nowMs);
    producer.enter(epoch, nowMs);
    producer.add(firstSequence, lastSequence, baseOffset);
  }

  private Producer producerOf(long id, long nowMs) {
    Producer producer = producers.get(id);
    if (producer == null) {
      forgetOld(nowMs);
      producer = new Producer(id);
      producers.put(id, producer);
    }
    return producer;
  }

  /** As a snapshot has it, before its batches are added. */
  void restore(long id, short epoch, int coordinatorEpoch, long transactionStart, long lastUsedMs) {
    Producer producer = producerOf(id, lastUsedMs);
    producer.enter(epoch, lastUsedMs);
    producer.coordinatorEpoch = coordinatorEpoch;
    if (transactionStart != NO_OFFSET) {
      beginTransaction(id, transactionStart);
    }
  }

  // ---------------------------------------------------------------- transactions

  /** The producer, who is remembered, has written a transactional batch; it begins its transaction if none is open. */
  void beginTransaction(long id, long baseOffset) {
    Producer producer = producers.get(id);
    transactionsFrom = Math.min(transactionsFrom, baseOffset);
    if (producer.transactionStart == NO_OFFSET) {
      producer.transactionStart = baseOffset;
      open.put(baseOffset, id);
    }
  }

  /** Whether the next transactional batch of a producer would begin a transaction here. */
  boolean hasOpenTransaction(long id) {
    Producer producer = producers.get(id);
    return producer != null && producer.transactionStart != NO_OFFSET;
  }

  /** Decides about a marker; changes nothing. */
  MarkerCheck check(TransactionMarker marker) {
    Producer producer = producers.get(marker.producerId());
    if (producer == null) {
      return open.size() >= MAX_PRODUCERS ? MarkerCheck.ENDED : MarkerCheck.WRITE; // I
    }
    if (marker.producerEpoch() < producer.epoch || marker.coordinatorEpoch() < producer.coordinatorEpoch) {
      return MarkerCheck.FENCED; // J
    }
    boolean isSame = marker.producerEpoch() == producer.epoch;
    return isSame && producer.transactionStart == NO_OFFSET ? MarkerCheck.ENDED : MarkerCheck.WRITE; // L; K, M
  }

  /**
   * A marker is in the log: its producer's transaction is over.
   *
   * @return the transaction, if there was one and it was aborted
   */
  Optional<AbortedTransaction> end(TransactionMarker marker, long offset, long nowMs) {
    Producer producer = producerOf(marker.producerId(), nowMs);
    producer.enter(marker.producerEpoch(), nowMs);
    producer.coordinatorEpoch = marker.coordinatorEpoch();
    transactionsFrom = Math.min(transactionsFrom, offset);
    long start = producer.transactionStart;
    if (start == NO_OFFSET) {
      return Optional.empty();
    }
    open.remove(start);
    producer.transactionStart = NO_OFFSET;
    return marker.isCommit()
        ? Optional.empty()
        : Optional.of(new AbortedTransaction(producer.id, start, offset, firstOpen(offset + 1)));
  }

  /** Whether the producer is remembered, with that epoch. */
  boolean isEpochOf(long id, short epoch) {
    Producer producer = producers.get(id);
    return producer != null && producer.epoch == epoch;
  }

  /** Takes over the open transactions of {@code other}, which has seen more of the log; no others are open then. */
  void adoptTransactions(ProducerState other) {
    producers.values().forEach(each -> each.transactionStart = NO_OFFSET);
    open.clear();
    for (Producer each : other.producers.values()) {
      if (each.transactionStart != NO_OFFSET) {
        if (!producers.containsKey(each.id)) {
          producerOf(each.id, each.lastUsedMs).enter(each.epoch, each.lastUsedMs);
        }
        Producer own = producers.get(each.id);
        own.transactionStart = each.transactionStart;
        open.put(each.transactionStart, each.id);
      }
    }
    transactionsFrom = other.transactionsFrom;
  }

  /** First offset of the earliest open transaction; {@code otherwise} if none is open. */
  long firstOpen(long otherwise) {
    return open.isEmpty() ? otherwise : open.firstKey();
  }

  /** Below it the log has no transactional batch and no marker; {@link Long#MAX_VALUE} if it has none at all. */
  long transactionsFrom() {
    return transactionsFrom;
  }

  void transactionsFrom(long offset) {
    transactionsFrom = Math.min(transactionsFrom, offset);
  }

  /** Makes room for one more, and lets go of those that have not written for long. */
  private void forgetOld(long nowMs) {
    Iterator<Producer> each = producers.values().iterator();
    while (each.hasNext()) {
      Producer eldest = each.next();
      if (producers.size() < MAX_PRODUCERS && nowMs - eldest.lastUsedMs <= EXPIRY_MS) {
        return;
      }
      if (eldest.transactionStart == NO_OFFSET) {
        each.remove();
      }
    }
  }

  private static int lastSequence(RecordBatch batch) {
    return plus(batch.baseSequence(), batch.lastOffsetDelta());
  }

  /** The sequence {@code count} after {@code sequence}: 31 bits, as Kafka counts. */
  static int plus(int sequence, int count) {
    return (sequence + count) & Integer.MAX_VALUE;
  }

  /** One that remembers the same. */
  ProducerState copy() {
    ProducerState copy = new ProducerState();
    producers.values().forEach(each -> copy.producers.put(each.id, each.copy()));
    copy.open.putAll(open);
    copy.transactionsFrom = transactionsFrom;
    return copy;
  }

  /** Forgets everything. */
  void clear() {
    producers.clear();
    open.clear();
    transactionsFrom = Long.MAX_VALUE;
  }

  boolean isEmpty() {
    return producers.isEmpty();
  }

  /** All of them, least recently used first. */
  Collection<Producer> producers() {
    return Collections.unmodifiableCollection(producers.values());
  }
}
