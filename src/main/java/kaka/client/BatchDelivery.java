package kaka.client;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import kaka.client.KakaException.Reason;
import kaka.protocol.ErrorCode;

/**
 * Decides what becomes of each batch of a producer, by the answer it gets. On the loop's thread.
 *
 * <p>What a batch's end means for its partition, whose batches are never stored in another order than they were given in,
 * where they are not numbered:
 *
 * <pre>
 * answer                     this batch                          batches refused before it, not yet sent again
 * ack                        stored                              failed: they would be stored out of order
 * retriable refusal          sent again once all answers are in  stay, in front of it
 * other refusal              failed                              stay
 * connection lost, sent      failed, outcome unknown             failed: this one may be stored
 * connection lost, not sent  sent again on the next connection   stay, in front of it
 * </pre>
 *
 * After a refusal the partition has one batch in flight at a time until an ack, so that the third column is rare.
 *
 * <p>Where they are numbered ({@link BatchNumbering}) none is stored before those in front of it, so batches that came back
 * always stay. A batch is <em>behind</em> if one in front of it came back or failed. After a batch failed, once all answers
 * are in, those behind it that may be stored fail too, outcome unknown, and the others get new numbers: from its own on where
 * it is certainly not stored, else in a new epoch.
 *
 * <pre>
 * answer                     this batch                          this batch, if it is behind
 * ack                        stored                              stored
 * retriable refusal          sent again once all answers are in  the same
 * OUT_OF_ORDER_SEQUENCE      failed: the broker lost some        sent again, known not to be stored
 * UNKNOWN_PRODUCER           failed, outcome unknown; but sent   sent again
 *                            again in a new epoch if it can not
 *                            be stored
 * other refusal              failed, outcome unknown if it was   the same
 *                            sent before
 * connection lost            sent again on the next connection   the same
 * </pre>
 */
final class BatchDelivery {
  private final ProducerConfig config;
  private final BatchAccumulator accumulator;
  private final BatchNumbering numbering;
  private final PartitionCounts partitionCounts;
  private final ProducerCounters counters;
  private final Consumer<PartitionQueue> pause;
  private final Consumer<KakaException> exhausted;

  /**
   * @param pause to call {@link #pauseOver} after a while
   * @param exhausted to close the producer, which can send no more
   */
  BatchDelivery(
      ProducerConfig config,
      BatchAccumulator accumulator,
      BatchNumbering numbering,
      PartitionCounts partitionCounts,
      ProducerCounters counters,
      Consumer<PartitionQueue> pause,
      Consumer<KakaException> exhausted) {
    this.config = config;
    this.accumulator = accumulator;
    this.numbering = numbering;
    this.partitionCounts = partitionCounts;
    this.counters = counters;
    this.pause = pause;
    this.exhausted = exhausted;
  }

  /** It is about to be sent. */
  void sending(PendingBatch batch) {
    if (config.idempotent()) {
      numbering.number(batch);
    }
    batch.queue().inFlight++;
    updateHold(batch.queue());
  }

  /** Nothing more of the partition is sent as long as something has to come first, or enough is in flight. */
  private void updateHold(PartitionQueue queue) {
    int maxInFlight = queue.pauses > 0 ? 1 : config.idempotent() ? BatchNumbering.MAX_IN_FLIGHT : Integer.MAX_VALUE;
    boolean hold =
        queue.isPaused
            || queue.inFlight >= maxInFlight
            || !queue.returned.isEmpty()
            || queue.numberingEndedBecause != null;
    if (hold != queue.isToldToHold) {
      queue.isToldToHold = hold;
      accumulator.hold(queue, hold);
    }
  }

  /** The broker has it on disk. */
  void acked(PendingBatch batch, long baseOffset) {
    PartitionQueue queue = batch.queue();
    queue.inFlight--;
    if (!batch.isNumbered()) {
      failReturned(queue);
      queue.isRefused = false;
    }
    queue.pauses = 0;
    counters.acked(batch.recordCount());
    batch.stored(baseOffset);
    accumulator.settled(batch);
    answered(queue);
  }

  /** It was refused, or its answer will not come; {@code sent}: the broker can have got it. */
  void failed(PendingBatch batch, KakaException failure, boolean sent) {
    PartitionQueue queue = batch.queue();
    queue.inFlight--;
    if (failure.reason() != Reason.REFUSED) {
      connectionLost(batch, failure, sent);
    } else if (failure.isRetriable()) {
      queue.returned.add(batch);
      queue.lastRefusal = failure;
      queue.isRefused = true;
    } else if (batch.isNumbered() && isSentAgain(batch, failure)) {
      queue.returned.add(batch);
    } else {
      if (failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)) {
        partitionCounts.forget(queue.partition().topic());
      }
      fail(batch, isForgotten(failure) ? failure.because("the broker has lost what it knew of this producer") : failure);
    }
    answered(queue);
  }

  private static boolean isForgotten(KakaException failure) {
    return failure.is(ErrorCode.OUT_OF_ORDER_SEQUENCE) || failure.is(ErrorCode.UNKNOWN_PRODUCER);
  }

  private void connectionLost(PendingBatch batch, KakaException failure, boolean sent) {
    PartitionQueue queue = batch.queue();
    if (batch.isNumbered()) {
      batch.setMaybeStored(batch.isMaybeStored() || sent);
      queue.returned.add(batch);
    } else if (sent) {
      failReturned(queue);
      fail(batch, failure.withUnknownOutcome());
    } else {
      queue.returned.add(batch);
    }
  }

  /** Whether a refused batch's number was at fault, and only because of those in front of it, or of a forgetful broker. */
  private static boolean isSentAgain(PendingBatch batch, KakaException failure) {
    PartitionQueue queue = batch.queue();
    boolean isBehind = !queue.returned.isEmpty() || queue.numberingEndedBecause != null;
    if (failure.is(ErrorCode.OUT_OF_ORDER_SEQUENCE)) {
      if (isBehind) {
        batch.setMaybeStored(false);
      }
      return isBehind;
    }
    if (failure.is(ErrorCode.UNKNOWN_PRODUCER)) {
      boolean canBeginAnew = !batch.isMaybeStored() && batch.baseSequence() > 0;
      if (!isBehind && canBeginAnew) {
        endNumbering(batch, failure, true);
      }
      return isBehind || canBeginAnew;
    }
    return false;
  }

  /** One batch less is in flight; when none is, what came back goes to the front, after a pause if it was refused. */
  private void answered(PartitionQueue queue) {
    if (queue.inFlight == 0) {
      accumulator.giveBack(queue, queue.returned);
      queue.returned.clear();
      if (queue.numberingEndedBecause != null) {
        renumber(queue);
      }
      if (queue.isRefused) {
        queue.isRefused = false;
        queue.isPaused = true;
        queue.pauses++;
        pause.accept(queue);
      }
    }
    updateHold(queue);
  }

  /** What {@code pause} was asked for is over. */
  void pauseOver(PartitionQueue queue) {
    queue.isPaused = false;
    updateHold(queue);
  }

  /** After a numbered batch failed: those behind it get other numbers, but for what may be stored and then could be twice. */
  private void renumber(PartitionQueue queue) {
    KakaException cause = queue.numberingEndedBecause;
    int firstSequence = queue.renumberFrom;
    ArrayDeque<PendingBatch> kept = new ArrayDeque<>();
    for (PendingBatch batch : accumulator.takeNumbered(queue)) {
      if (batch.isMaybeStored()) {
        fail(batch, cause.because("not sent again: records given before were given up"));
      } else {
        batch.forgetNumber();
        kept.add(batch);
      }
    }
    accumulator.giveBack(queue, kept);
    queue.numberingEndedBecause = null;
    if (!queue.isEpochOver) {
      queue.nextSequence = firstSequence;
    } else if (!numbering.beginEpoch(queue)) {
      exhausted.accept(cause.because("this producer has begun anew too often: make another"));
    }
    queue.isEpochOver = false;
  }

  /** A later batch is or may be stored: what was refused before it can no longer go to its place. */
  private void failReturned(PartitionQueue queue) {
    while (!queue.returned.isEmpty()) {
      fail(queue.returned.remove(), queue.lastRefusal.because("not sent again: records given later were stored meanwhile"));
    }
  }

  private void fail(PendingBatch batch, KakaException failure) {
    KakaException told = batch.isMaybeStored() && !failure.isMaybeStored() ? failure.withUnknownOutcome() : failure;
    if (batch.isNumbered()) {
      endNumbering(batch, failure, batch.isMaybeStored() || !isHarmless(failure));
    }
    counters.failed(batch.recordCount(), told);
    batch.failed(told);
    accumulator.settled(batch);
  }

  /** Whether it says for certain that the batch is not stored, and will not turn out to be. */
  private static boolean isHarmless(KakaException failure) {
    boolean isDiskFailed = failure.is(ErrorCode.STORAGE) && !failure.isRetriable(); // not: is nearly full
    return !isDiskFailed && !failure.is(ErrorCode.FENCED_PRODUCER) && !isForgotten(failure);
  }

  /** @param isEpochOver whether the sequence may be taken, so that no other batch must ever have it */
  private static void endNumbering(PendingBatch batch, KakaException cause, boolean isEpochOver) {
    PartitionQueue queue = batch.queue();
    if (queue.numberingEndedBecause == null) {
      queue.numberingEndedBecause = cause;
      queue.renumberFrom = batch.baseSequence();
    }
    queue.isEpochOver |= isEpochOver;
  }

  /** Fails batches that were waiting. */
  void fail(List<PendingBatch> batches, KakaException failure) {
    batches.forEach(batch -> fail(batch, failure));
    batches.stream().map(PendingBatch::queue).distinct().forEach(this::answered);
  }
}
