package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import kaka.log.ProducerCheck.Accepted;
import kaka.log.ProducerCheck.Duplicate;
import kaka.log.ProducerCheck.Reason;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TransactionMarker;
import org.junit.jupiter.api.Test;

/** Each row of the table in {@link ProducerState}, and its bounds. */
class ProducerStateTest {
  private static final long NOW_MS = 1_700_000_000_000L;
  private static final long P = 7;

  private final ProducerState state = new ProducerState();

  static RecordBatch batch(long producerId, int epoch, int sequence, int recordCount) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producerId, (short) epoch, sequence);
    for (int i = 0; i < recordCount; i++) {
      builder.append(NOW_MS, null, new byte[] {1}, List.of());
    }
    return builder.build();
  }

  private void store(long producerId, int epoch, int sequence, int recordCount, long baseOffset) {
    state.add(batch(producerId, epoch, sequence, recordCount), baseOffset, NOW_MS);
  }

  private ProducerCheck check(int epoch, int sequence, int recordCount) {
    return state.check(batch(P, epoch, sequence, recordCount));
  }

  private void assertRefused(Reason reason, ProducerCheck check) {
    assertEquals(reason, ((ProducerCheck.Refused) check).reason(), check.toString());
  }

  @Test
  void rowAUnknownProducersFirstBatchIsAccepted() {
    assertEquals(Accepted.INSTANCE, check(0, 0, 3));
    assertEquals(Accepted.INSTANCE, check(12, 0, 3));
    assertTrue(state.isEmpty(), "a check stores nothing");
  }

  @Test
  void rowBUnknownProducersLaterBatchIsRefused() {
    assertRefused(Reason.UNKNOWN_PRODUCER, check(0, 1, 1));
    store(P + 1, 0, 0, 1, 0);
    assertRefused(Reason.UNKNOWN_PRODUCER, check(0, 1, 1));
  }

  @Test
  void rowCOlderEpochIsFenced() {
    store(P, 3, 0, 2, 0);
    assertRefused(Reason.FENCED, check(2, 0, 1));
    assertRefused(Reason.FENCED, check(2, 2, 1));
    assertRefused(Reason.FENCED, check(0, 0, 2));
  }

  @Test
  void rowDNewerEpochBeginsWithZeroAndForgetsTheOlder() {
    store(P, 3, 0, 2, 10);
    assertEquals(Accepted.INSTANCE, check(4, 0, 2));
    store(P, 4, 0, 2, 12);
    assertEquals(new Duplicate(12), check(4, 0, 2));
    assertRefused(Reason.FENCED, check(3, 0, 2));
    assertEquals(Accepted.INSTANCE, check(4, 2, 1));
  }

  @Test
  void rowENewerEpochDoesNotBeginInTheMiddle() {
    store(P, 3, 0, 2, 0);
    assertRefused(Reason.OUT_OF_ORDER, check(4, 2, 1));
  }

  @Test
  void rowFEachOfTheLastFiveIsADuplicate() {
    for (int i = 0; i < 6; i++) {
      store(P, 0, i * 2, 2, 100 + i * 10);
    }
    for (int i = 1; i < 6; i++) {
      assertEquals(new Duplicate(100 + i * 10), check(0, i * 2, 2));
    }
    assertRefused(Reason.OUT_OF_ORDER, check(0, 0, 2)); // the sixth last
  }

  @Test
  void rowGTheNextBatchIsAccepted() {
    store(P, 0, 0, 2, 0);
    assertEquals(Accepted.INSTANCE, check(0, 2, 1));
    assertEquals(Accepted.INSTANCE, check(0, 2, 100));
  }

  @Test
  void rowHGapsAndOverlapsAreRefused() {
    store(P, 0, 0, 2, 0);
    store(P, 0, 2, 3, 2);
    assertRefused(Reason.OUT_OF_ORDER, check(0, 6, 1)); // a gap
    assertRefused(Reason.OUT_OF_ORDER, check(0, 4, 1)); // its last record again
    assertRefused(Reason.OUT_OF_ORDER, check(0, 2, 2)); // cut in another way
    assertRefused(Reason.OUT_OF_ORDER, check(0, 2, 4));
    assertRefused(Reason.OUT_OF_ORDER, check(0, 0, 5)); // two batches as one
    assertRefused(Reason.OUT_OF_ORDER, check(0, 0, 1));
  }

  @Test
  void sequenceWrapsAfterTwoToTheThirtyOneMinusOne() {
    int last = Integer.MAX_VALUE;
    store(P, 0, last - 1, 1, 0);
    assertEquals(Accepted.INSTANCE, check(0, last, 3));
    store(P, 0, last, 3, 1); // last, 0, 1
    assertEquals(new Duplicate(1), check(0, last, 3));
    assertEquals(Accepted.INSTANCE, check(0, 2, 1));
    assertRefused(Reason.OUT_OF_ORDER, check(0, 0, 1));

    ProducerState other = new ProducerState();
    other.add(batch(P, 0, last, 1), 5, NOW_MS);
    assertEquals(Accepted.INSTANCE, other.check(batch(P, 0, 0, 1)));
  }

  /** Its last batch can be old news and its sequence anything: what the log holds counts, whoever let it in. */
  @Test
  void whatIsInTheLogIsRememberedWhateverItsSequence() {
    store(P, 0, 500, 2, 0);
    assertEquals(new Duplicate(0), check(0, 500, 2));
    assertEquals(Accepted.INSTANCE, check(0, 502, 1));
    store(P, 0, 900, 1, 2);
    assertEquals(Accepted.INSTANCE, check(0, 901, 1));
  }

  @Test
  void theProducerThatWroteLeastRecentlyMakesRoom() {
    for (int id = 0; id < ProducerState.MAX_PRODUCERS; id++) {
      store(id, 0, 0, 1, id);
    }
    store(0, 0, 1, 1, 10_000); // has written again
    store(100_000, 0, 0, 1, 10_001);

    assertEquals(ProducerState.MAX_PRODUCERS, state.producers().size());
    assertEquals(Accepted.INSTANCE, state.check(batch(0, 0, 2, 1)));
    assertEquals(Accepted.INSTANCE, state.check(batch(2, 0, 1, 1)));
    assertRefused(Reason.UNKNOWN_PRODUCER, state.check(batch(1, 0, 1, 1)));
  }

  @Test
  void producersThatHaveNotWrittenForADayGoWhenAnotherComes() {
    store(1, 0, 0, 1, 0);
    store(2, 0, 0, 1, 1);
    state.add(batch(2, 0, 1, 1), 2, NOW_MS + 2);
    state.add(batch(3, 0, 0, 1), 3, NOW_MS + ProducerState.EXPIRY_MS + 1);

    assertEquals(2, state.producers().size());
    assertRefused(Reason.UNKNOWN_PRODUCER, state.check(batch(1, 0, 1, 1)));
    assertEquals(Accepted.INSTANCE, state.check(batch(2, 0, 2, 1)));
  }

  @Test
  void onlyNumberedBatchesOfAProducerCount() {
    assertTrue(ProducerState.isNumbered(batch(0, 0, 0, 1)));
    assertEquals(false, ProducerState.isNumbered(TestLogs.batch("a")));
    assertEquals(false, ProducerState.isNumbered(batch(7, 0, -1, 1)), "a transaction marker");
  }

  private static TransactionMarker marker(int epoch, int coordinatorEpoch) {
    return new TransactionMarker(P, (short) epoch, true, coordinatorEpoch);
  }

  private void begin(int epoch, long offset) {
    state.add(batch(P, epoch, 0, 1), offset, NOW_MS);
    state.beginTransaction(P, offset);
  }

  @Test
  void rowIMarkerOfAnUnknownProducerIsWritten() {
    assertEquals(MarkerCheck.WRITE, state.check(marker(3, 0)));
    assertEquals(Optional.empty(), state.end(marker(3, 0), 10, NOW_MS));
    assertRefused(Reason.FENCED, check(2, 0, 1));
  }

  @Test
  void rowJMarkerOfAnOlderEpochIsFenced() {
    begin(3, 10);
    assertEquals(MarkerCheck.FENCED, state.check(marker(2, 0)));
    state.end(marker(3, 5), 11, NOW_MS);
    assertEquals(MarkerCheck.FENCED, state.check(marker(3, 4)), "an older coordinator");
  }

  @Test
  void rowKMarkerOfTheSameEpochEndsWhatIsOpen() {
    begin(3, 10);
    assertEquals(MarkerCheck.WRITE, state.check(marker(3, 0)));
    TransactionMarker abort = new TransactionMarker(P, (short) 3, false, 0);
    assertEquals(Optional.of(new AbortedTransaction(P, 10, 14, 15)), state.end(abort, 14, NOW_MS));
    assertEquals(99, state.firstOpen(99));
    assertEquals(Accepted.INSTANCE, check(3, 1, 1), "its numbers go on");
  }

  @Test
  void rowLMarkerWithNothingToEndIsNotWritten() {
    store(P, 3, 0, 1, 10);
    assertEquals(MarkerCheck.ENDED, state.check(marker(3, 0)));
  }

  @Test
  void rowMMarkerOfANewerEpochFences() {
    begin(3, 10);
    assertEquals(MarkerCheck.WRITE, state.check(marker(4, 0)));
    state.end(marker(4, 0), 14, NOW_MS);
    assertEquals(MarkerCheck.WRITE, state.check(marker(5, 0)), "also where nothing is open");
    assertRefused(Reason.FENCED, check(3, 1, 1));
    assertRefused(Reason.OUT_OF_ORDER, check(4, 1, 1));
    assertEquals(Accepted.INSTANCE, check(4, 0, 1));
  }

  @Test
  void producersWithOpenTransactionsStayAndLeaveNoRoomForMore() {
    for (int id = 0; id < ProducerState.MAX_PRODUCERS; id++) {
      store(id, 0, 0, 1, id);
      state.beginTransaction(id, id);
    }
    assertRefused(Reason.TOO_MANY_TRANSACTIONS, state.check(batch(100_000, 0, 0, 1)));
    assertEquals(
        MarkerCheck.ENDED, state.check(new TransactionMarker(100_000, (short) 0, true, 0)), "nothing to end, no room");

    state.end(new TransactionMarker(17, (short) 0, true, 0), 90_000, NOW_MS);
    assertEquals(Accepted.INSTANCE, state.check(batch(100_000, 0, 0, 1)));
    store(100_000, 0, 0, 1, 100_000);
    assertEquals(ProducerState.MAX_PRODUCERS, state.producers().size());
    assertRefused(Reason.UNKNOWN_PRODUCER, state.check(batch(17, 0, 1, 1)));
    assertEquals(0, state.firstOpen(99));
  }

  /** Who has walked all of a log knows of a marker that an old snapshot could not. */
  @Test
  void adoptedTransactionsAreAllThatAreOpen() {
    state.add(transactionalBatch(P), 5, NOW_MS);
    ProducerState walked = new ProducerState();
    walked.add(transactionalBatch(P + 1), 9, NOW_MS);

    state.adoptTransactions(walked);

    assertEquals(9, state.firstOpen(Long.MAX_VALUE));
    assertEquals(List.of(false, true), List.of(state.hasOpenTransaction(P), state.hasOpenTransaction(P + 1)));
  }

  private static RecordBatch transactionalBatch(long producerId) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producerId, (short) 0, 0);
    return builder.append(NOW_MS, null, new byte[] {1}, List.of()).transactional().build();
  }
}
