package kaka.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import kaka.record.Record;
import kaka.record.TopicPartition;
import kaka.record.TransactionMarker;
import kaka.transaction.TransactionRequest.Producer;
import kaka.transaction.TransactionResult.Done;
import kaka.transaction.TransactionResult.Initialized;
import kaka.transaction.TransactionState.Told;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each cell of the table in {@link TransactionState}, what is said below it, and that a replay comes to the same. */
class TransactionStateTest {
  private static final TransactionConfig CONFIG =
      new TransactionConfig(Duration.ofMinutes(15), Duration.ofDays(7), 1 << 20, 4096);
  private static final String ID = "mover";
  private static final int TIMEOUT_MS = 60_000;
  private static final TransactionPartition A = partition("orders", 0);
  private static final TransactionPartition B = partition("orders", 1);

  private final List<TransactionEvent> log = new ArrayList<>();
  private final List<Decision.Telling> told = new ArrayList<>();
  private long nextProducerId = 100;
  private long nowMs = 1_000_000;
  private long tickMs = 5_000;
  private TransactionState state = newState();

  private static TransactionPartition partition(String topic, int number) {
    return new TransactionPartition(UUID.nameUUIDFromBytes(topic.getBytes()), new TopicPartition(topic, number));
  }

  /** The answer, if it is there already. */
  private Optional<TransactionResult> take(Decision decision) {
    log.addAll(decision.events());
    told.addAll(decision.tellings());
    return decision.answers().stream().map(Decision.Answer::result).findFirst();
  }

  private Optional<TransactionResult> ask(TransactionRequest request) {
    try {
      return take(state.handle(1, request, nowMs));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Optional<TransactionResult> initialize() {
    return ask(new TransactionRequest.Initialize(ID, TIMEOUT_MS, Optional.empty()));
  }

  private Optional<TransactionResult> resume(long id, int epoch) {
    return ask(new TransactionRequest.Initialize(ID, TIMEOUT_MS, Optional.of(producer(id, epoch))));
  }

  private static Producer producer(long id, int epoch) {
    return new Producer(id, (short) epoch);
  }

  private Optional<TransactionResult> add(TransactionPartition... partitions) {
    Transaction now = now();
    return ask(new TransactionRequest.Add(ID, producer(now.producerId(), now.epoch()), Set.of(partitions)));
  }

  private Optional<TransactionResult> end(boolean isCommit) {
    Transaction now = now();
    return ask(new TransactionRequest.End(ID, producer(now.producerId(), now.epoch()), isCommit));
  }

  private Transaction now() {
    return state.known().all().stream().filter(each -> each.id().equals(ID)).findFirst().orElseThrow();
  }

  private Optional<TransactionResult> answerAll(Told what) {
    List<Decision.Telling> all = List.copyOf(told);
    told.clear();
    Optional<TransactionResult> answer = Optional.empty();
    for (Decision.Telling each : all) {
      Optional<TransactionResult> next = take(state.told(each, what, nowMs));
      answer = next.isPresent() ? next : answer;
    }
    return answer;
  }

  private static void assertRefused(TransactionError reason, Optional<TransactionResult> result) {
    assertEquals(reason, ((TransactionResult.Refused) result.orElseThrow()).reason());
  }

  private static void assertDone(Optional<TransactionResult> result) {
    assertEquals(Optional.of(Done.INSTANCE), result);
  }

  /** Brings {@link #ID} there, with partitions A and B in its transaction. */
  private void bringTo(TransactionPhase phase) {
    initialize();
    if (phase != TransactionPhase.EMPTY) {
      assertDone(add(A, B));
    }
    switch (phase) {
      case EMPTY, ONGOING -> {}
      case PREPARE_COMMIT -> assertEquals(Optional.empty(), end(true), "answered when it is known");
      case PREPARE_ABORT -> assertEquals(Optional.empty(), end(false));
      case COMPLETE_COMMIT -> {
        end(true);
        assertDone(answerAll(Told.YES));
      }
      case COMPLETE_ABORT -> {
        end(false);
        assertDone(answerAll(Told.YES));
      }
    }
    assertEquals(phase, now().phase());
  }

  /** After a restart: what the log says, and nothing else. */
  private void replay() {
    TransactionEventCodec codec = new TransactionEventCodec();
    state = newState();
    for (TransactionEvent event : log) {
      try {
        Record record = new Record(0, 0, codec.key(event), codec.value(event), List.of());
        assertEquals(event, codec.parse(record));
        state.known().apply(codec.parse(record));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    state.known().opened(nowMs);
  }

  private TransactionState newState() {
    return new TransactionState(CONFIG, () -> nextProducerId++, () -> tickMs);
  }

  // ---------------------------------------------------------------- the table

  @Test
  void unknownIds() {
    assertRefused(TransactionError.INVALID_MAPPING, ask(new TransactionRequest.Add(ID, producer(1, 0), Set.of(A))));
    assertRefused(TransactionError.INVALID_MAPPING, ask(new TransactionRequest.End(ID, producer(1, 0), true)));
    assertEquals(List.of(), log);
    assertEquals(Optional.of(new Initialized(100, (short) 0)), initialize());
    assertEquals(TransactionPhase.EMPTY, now().phase());
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void initialize(TransactionPhase phase) {
    bringTo(phase);

    Optional<TransactionResult> result = initialize();

    switch (phase) {
      case EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT -> {
        assertEquals(Optional.of(new Initialized(100, (short) 1)), result);
        assertEquals(TransactionPhase.EMPTY, now().phase());
      }
      case ONGOING -> {
        assertRefused(TransactionError.CONCURRENT, result);
        assertEquals(TransactionPhase.PREPARE_ABORT, now().phase());
        assertEquals(1, now().epoch());
        assertTrue(told.stream().allMatch(each -> each.marker().equals(new TransactionMarker(100, (short) 1, false, 0))));
        assertEquals(2, told.size());
        answerAll(Told.YES);
        assertEquals(Optional.of(new Initialized(100, (short) 2)), initialize());
      }
      case PREPARE_COMMIT, PREPARE_ABORT -> {
        assertRefused(TransactionError.CONCURRENT, result);
        assertEquals(phase, now().phase());
        assertEquals(0, now().epoch());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void add(TransactionPhase phase) {
    bringTo(phase);
    nowMs += 5;

    Optional<TransactionResult> result = add(B);

    if (phase == TransactionPhase.PREPARE_COMMIT || phase == TransactionPhase.PREPARE_ABORT) {
      assertRefused(TransactionError.CONCURRENT, result);
      assertEquals(phase, now().phase());
    } else {
      assertDone(result);
      assertEquals(TransactionPhase.ONGOING, now().phase());
      assertEquals(phase == TransactionPhase.ONGOING ? Set.of(A, B) : Set.of(B), now().partitions());
      assertEquals(phase == TransactionPhase.ONGOING ? nowMs - 5 : nowMs, now().startedMs());
    }
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void endCommit(TransactionPhase phase) {
    bringTo(phase);
    Optional<TransactionResult> result = end(true);
    switch (phase) {
      case EMPTY, PREPARE_ABORT, COMPLETE_ABORT -> assertRefused(TransactionError.INVALID_STATE, result);
      case PREPARE_COMMIT -> assertRefused(TransactionError.CONCURRENT, result);
      case COMPLETE_COMMIT -> assertDone(result);
      case ONGOING -> {
        assertEquals(Optional.empty(), result);
        assertEquals(TransactionPhase.PREPARE_COMMIT, now().phase());
        assertEquals(2, told.size());
        assertTrue(told.stream().allMatch(each -> each.marker().equals(new TransactionMarker(100, (short) 0, true, 0))));
      }
    }
    assertEquals(phase == TransactionPhase.ONGOING ? TransactionPhase.PREPARE_COMMIT : phase, now().phase());
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void endAbort(TransactionPhase phase) {
    bringTo(phase);
    Optional<TransactionResult> result = end(false);
    switch (phase) {
      case EMPTY, PREPARE_COMMIT, COMPLETE_COMMIT -> assertRefused(TransactionError.INVALID_STATE, result);
      case PREPARE_ABORT -> assertRefused(TransactionError.CONCURRENT, result);
      case COMPLETE_ABORT -> assertDone(result);
      case ONGOING -> assertEquals(Optional.empty(), result);
    }
    assertEquals(phase == TransactionPhase.ONGOING ? TransactionPhase.PREPARE_ABORT : phase, now().phase());
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void timeIsUp(TransactionPhase phase) {
    bringTo(phase);
    told.clear();
    assertEquals(
        phase == TransactionPhase.ONGOING ? OptionalLong.of(tickMs + TIMEOUT_MS) : OptionalLong.empty(), state.known().nextDeadlineMs());
    tickMs += TIMEOUT_MS - 1;
    take(state.expire(nowMs));
    assertEquals(phase, now().phase());
    tickMs++;
    take(state.expire(nowMs));
    if (phase == TransactionPhase.ONGOING) {
      assertEquals(TransactionPhase.PREPARE_ABORT, now().phase());
      assertEquals(1, now().epoch());
      assertEquals(2, told.size());
      assertRefused(TransactionError.FENCED, ask(new TransactionRequest.End(ID, producer(100, 0), true)));
      answerAll(Told.YES);
      assertEquals(Optional.of(new Initialized(100, (short) 1)), resume(100, 0), "the same producer may go on");
    } else {
      assertEquals(phase, now().phase());
      assertEquals(List.of(), told);
    }
  }

  // ---------------------------------------------------------------- what is said below the table

  @Test
  void othersAreRefusedWhateverThePhase() {
    bringTo(TransactionPhase.ONGOING);
    assertRefused(TransactionError.INVALID_MAPPING, ask(new TransactionRequest.Add(ID, producer(99, 0), Set.of(A))));
    assertRefused(TransactionError.INVALID_MAPPING, ask(new TransactionRequest.End(ID, producer(99, 0), true)));
    assertRefused(TransactionError.FENCED, ask(new TransactionRequest.Add(ID, producer(100, 1), Set.of(A))));
    assertRefused(TransactionError.FENCED, ask(new TransactionRequest.End(ID, producer(100, -1), true)));
    assertEquals(TransactionPhase.ONGOING, now().phase());
  }

  @Test
  void aFencedProducerCannotResumeAndItsOwnerCanAskTwice() {
    initialize();
    assertEquals(Optional.of(new Initialized(100, (short) 1)), resume(100, 0));
    assertEquals(Optional.of(new Initialized(100, (short) 1)), resume(100, 0), "the answer was lost");
    assertEquals(Optional.of(new Initialized(100, (short) 2)), resume(100, 1));
    assertRefused(TransactionError.FENCED, resume(100, 0));
    assertRefused(TransactionError.FENCED, resume(99, 2));
    assertEquals(Optional.of(new Initialized(100, (short) 3)), initialize());
    assertRefused(TransactionError.FENCED, resume(100, 2));
  }

  @Test
  void epochsRunOutIntoANewProducerId() {
    initialize();
    for (int epoch = 1; epoch <= Short.MAX_VALUE - 1; epoch++) {
      assertEquals(Optional.of(new Initialized(100, (short) epoch)), initialize());
    }
    assertEquals(Optional.of(new Initialized(101, (short) 0)), resume(100, Short.MAX_VALUE - 1));
    assertEquals(Optional.of(new Initialized(101, (short) 0)), resume(100, Short.MAX_VALUE - 1), "the answer was lost");
    assertRefused(TransactionError.FENCED, resume(100, Short.MAX_VALUE - 2));
    assertDone(add(A));
    assertRefused(
        TransactionError.INVALID_MAPPING,
        ask(new TransactionRequest.Add(ID, producer(100, Short.MAX_VALUE - 1), Set.of(A))));
  }

  @Test
  void theLastEpochIsLeftForTheFence() {
    initialize();
    for (int epoch = 1; epoch <= Short.MAX_VALUE - 1; epoch++) {
      initialize();
    }
    add(A);
    assertRefused(TransactionError.CONCURRENT, initialize());
    assertEquals(Short.MAX_VALUE, now().epoch());
    answerAll(Told.YES);
    assertEquals(Optional.of(new Initialized(101, (short) 0)), initialize());
  }

  @Test
  void timeoutsAndIdsAreChecked() {
    for (int timeoutMs : new int[] {0, -1, (int) CONFIG.maxTimeout().toMillis() + 1}) {
      assertRefused(
          TransactionError.INVALID_TIMEOUT, ask(new TransactionRequest.Initialize(ID, timeoutMs, Optional.empty())));
    }
    for (String id : List.of("", "x".repeat(1025))) {
      assertRefused(TransactionError.INVALID_ID, ask(new TransactionRequest.Initialize(id, 1, Optional.empty())));
    }
    assertEquals(List.of(), log);
  }

  @Test
  void memoryIsBounded() {
    int count = 0;
    while (ask(new TransactionRequest.Initialize("id-" + count, 1, Optional.empty())).orElseThrow() instanceof Initialized) {
      count++;
    }
    assertTrue(count > 1000 && count < (1 << 20) / 400, count + " ids in 1 MiB");
    assertEquals(count, state.known().count());
    assertRefused(
        TransactionError.MEMORY,
        ask(new TransactionRequest.Add("id-0", producer(100, 0), Set.of(A, B, partition("c", 0), partition("d", 0)))));
  }

  @Test
  void aDeletedPartitionDoesNotHoldTheEndUp() {
    bringTo(TransactionPhase.PREPARE_COMMIT);
    assertDone(answerAll(Told.GONE));
    assertEquals(TransactionPhase.COMPLETE_COMMIT, now().phase());
    assertEquals(List.of(), now().owed());
  }

  @Test
  void aFailedPartitionIsOwedItsMarkerAndTakesNoPartMeanwhile() {
    bringTo(TransactionPhase.PREPARE_COMMIT);
    Decision.Telling toA = told.stream().filter(each -> each.partition().equals(A)).findFirst().orElseThrow();
    Decision.Telling toB = told.stream().filter(each -> each.partition().equals(B)).findFirst().orElseThrow();
    assertEquals(Optional.empty(), take(state.told(toA, Told.FAILED, nowMs)));
    assertDone(take(state.told(toB, Told.YES, nowMs)));
    assertEquals(TransactionPhase.COMPLETE_COMMIT, now().phase());
    assertEquals(List.of(new OwedMarker(A, 100, (short) 0, true)), now().owed());
    told.clear();

    assertRefused(TransactionError.CONCURRENT, add(A));
    assertDone(add(B));
    assertEquals(Optional.empty(), end(false));
    answerAll(Told.YES);
    assertEquals(TransactionPhase.COMPLETE_ABORT, now().phase());
    nowMs += CONFIG.idExpiry().toMillis() + 1;
    take(state.expireIds(nowMs));
    replay();

    told.clear();
    take(state.tellAgain());
    assertEquals(List.of(toA), told, "what it was told first");
    answerAll(Told.YES);
    assertEquals(List.of(), now().owed());
    assertDone(add(A));
    assertEquals(1, told.size() + now().partitions().size());
  }

  @Test
  void whoWaitsForTheEndIsNotKeptByASilentPartition() {
    bringTo(TransactionPhase.PREPARE_COMMIT);
    assertTrue(state.hasUntold());
    assertDone(take(state.tellAgain()));
    assertEquals(TransactionPhase.PREPARE_COMMIT, now().phase());
    assertEquals(4, told.size());
    answerAll(Told.YES);
    assertEquals(TransactionPhase.COMPLETE_COMMIT, now().phase());
    assertTrue(!state.hasUntold());
  }

  /** An answer to what was told long ago ends nothing that is told now. */
  @Test
  void lateAnswersCountForNothing() {
    bringTo(TransactionPhase.PREPARE_COMMIT);
    List<Decision.Telling> early = List.copyOf(told);
    answerAll(Told.YES);
    initialize();
    add(A, B);
    end(true);
    early.forEach(each -> take(state.told(each, Told.YES, nowMs)));
    assertEquals(TransactionPhase.PREPARE_COMMIT, now().phase());
  }

  @Test
  void aTransactionWithoutPartitionsLeftEndsAtOnce() {
    initialize();
    assertDone(add());
    assertDone(end(true));
    assertEquals(TransactionPhase.COMPLETE_COMMIT, now().phase());
  }

  /** Whichever way the clock is set; and a partition that is added later does not begin it anew. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1})
  void aStepOfTheClockNeitherEndsNorLengthensATransaction(long days) {
    initialize();
    add(A);
    nowMs += Duration.ofDays(days).toMillis();
    tickMs += TIMEOUT_MS - 1;
    add(B);

    take(state.expire(nowMs));
    assertEquals(TransactionPhase.ONGOING, now().phase());
    tickMs++;
    take(state.expire(nowMs));

    assertEquals(TransactionPhase.PREPARE_ABORT, now().phase());
    assertEquals(nowMs, now().changedMs());
  }

  /** Between two starts only the time of day goes on, and it may have been set. */
  @ParameterizedTest
  @CsvSource({"0, 60000", "10000, 50000", "60000, 0", "86400000, 0", "-86400000, 60000"})
  void aRestartLeavesOfATimeoutWhatHasNotPassed(long passedMs, long leftMs) {
    bringTo(TransactionPhase.ONGOING);
    nowMs += passedMs;
    tickMs = 77; // counts from whenever

    replay();

    assertEquals(OptionalLong.of(77 + leftMs), state.known().nextDeadlineMs());
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void aReplayComesToTheSame(TransactionPhase phase) {
    bringTo(phase);
    List<Transaction> before = state.known().all();
    List<Decision.Telling> untold = List.copyOf(told);
    told.clear();

    replay();

    assertEquals(before, state.known().all());
    assertEquals(
        phase == TransactionPhase.ONGOING ? OptionalLong.of(tickMs + TIMEOUT_MS) : OptionalLong.empty(), state.known().nextDeadlineMs());
    take(state.tellAgain());
    assertEquals(untold, told, "what not everybody knew is told again");
    answerAll(Told.YES);
    assertTrue(!now().phase().isPrepared());
  }

  @ParameterizedTest
  @EnumSource(TransactionPhase.class)
  void idleIdsAreForgotten(TransactionPhase phase) {
    bringTo(phase);
    take(state.expireIds(nowMs + CONFIG.idExpiry().toMillis() - 1));
    assertEquals(1, state.known().count());
    take(state.expireIds(nowMs + CONFIG.idExpiry().toMillis()));
    boolean isUnderWay =
        phase == TransactionPhase.ONGOING
            || phase == TransactionPhase.PREPARE_COMMIT
            || phase == TransactionPhase.PREPARE_ABORT;
    assertEquals(isUnderWay ? 1 : 0, state.known().count());
    replay();
    assertEquals(isUnderWay ? 1 : 0, state.known().count());
  }

  @Test
  void listsAndDescribes() {
    bringTo(TransactionPhase.ONGOING);
    ask(new TransactionRequest.Initialize("other", 1, Optional.empty()));
    assertEquals(List.of(ID, "other"), listed(Set.of(), Set.of(), OptionalLong.empty()));
    assertEquals(List.of("other"), listed(Set.of(TransactionPhase.EMPTY), Set.of(), OptionalLong.empty()));
    assertEquals(List.of(ID), listed(Set.of(), Set.of(100L), OptionalLong.empty()));
    nowMs += 10;
    assertEquals(List.of(ID), listed(Set.of(), Set.of(), OptionalLong.of(9)));
    assertEquals(List.of(), listed(Set.of(), Set.of(), OptionalLong.of(10)));
    assertEquals(
        Optional.of(new TransactionResult.Described(List.of(Optional.empty(), Optional.of(now())))),
        ask(new TransactionRequest.Describe(List.of("none", ID))));
  }

  private List<String> listed(Set<TransactionPhase> phases, Set<Long> ids, OptionalLong lastingMs) {
    TransactionResult result = ask(new TransactionRequest.ListAll(phases, ids, lastingMs)).orElseThrow();
    return ((TransactionResult.Listed) result).transactions().stream().map(Transaction::id).toList();
  }

  @Test
  void whatIsLiveMakesAllOfItAnew() {
    bringTo(TransactionPhase.PREPARE_ABORT);
    ask(new TransactionRequest.Initialize("other", 1, Optional.empty()));
    List<Transaction> before = state.known().all();
    log.clear();
    kaka.log.LiveEvents.Walk<TransactionEvent> walk = state.known().live().walk();
    for (Optional<TransactionEvent> next = walk.next(); next.isPresent(); next = walk.next()) {
      log.add(next.get());
    }
    replay();
    assertEquals(before, state.known().all());
    told.clear();
    take(state.tellAgain());
    assertEquals(2, told.size());
  }
}
