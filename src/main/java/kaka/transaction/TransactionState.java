package kaka.transaction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import kaka.record.TransactionMarker;
import kaka.transaction.KnownTransactions.Entry;
import kaka.transaction.TransactionRequest.Producer;

/**
 * All transactions of a broker, without actors or disk. What is asked, answered by a partition, or due gives a
 * {@link Decision}, whose events this has applied already: its owner makes them durable before it lets anybody know, and where it
 * cannot, this is of no use any more. What there is to decide on are {@link KnownTransactions}.
 *
 * <pre>
 *                  Initialize           Add                End commit         End abort          time is up
 * (unknown)        EMPTY                INVALID_MAPPING    INVALID_MAPPING    INVALID_MAPPING    -
 * EMPTY            EMPTY, next epoch    ONGOING            INVALID_STATE      INVALID_STATE      -
 * ONGOING          PREPARE_ABORT with   ONGOING            PREPARE_COMMIT     PREPARE_ABORT      PREPARE_ABORT with
 *                  next epoch;                                                                   next epoch
 *                  CONCURRENT
 * PREPARE_COMMIT   CONCURRENT           CONCURRENT         CONCURRENT         INVALID_STATE      -
 * PREPARE_ABORT    CONCURRENT           CONCURRENT         INVALID_STATE      CONCURRENT         -
 * COMPLETE_COMMIT  EMPTY, next epoch    ONGOING            done, as it was    INVALID_STATE      -
 * COMPLETE_ABORT   EMPTY, next epoch    ONGOING            INVALID_STATE      done, as it was    -
 * </pre>
 *
 * Whatever the phase, another producer id than the current one is refused INVALID_MAPPING, another epoch FENCED. PREPARE_COMMIT and
 * PREPARE_ABORT become COMPLETE_COMMIT and COMPLETE_ABORT when every partition knows. Kafka's PrepareEpochFence and Dead are no
 * phases here: the fence and the abort that follows are one event, and so is a removal.
 *
 * <p>A partition that is deleted counts as one that knows. One whose storage failed takes nothing before the next start: the
 * transaction completes without it, remembers what it owes it, tells it when it can be told, and lets no later transaction of
 * this id have part in it before.
 *
 * <p>Next epoch: from the last but one on, a new producer id with epoch 0 instead (KIP-360); the last is for fencing that producer.
 */
final class TransactionState {
  /** There is one coordinator, and one broker to a data directory. */
  static final int COORDINATOR_EPOCH = 0;

  private static final int MAX_ID_BYTES = 1024;

  /** Gives producer ids, none twice. */
  @FunctionalInterface
  interface ProducerIdSource {
    long next() throws IOException;
  }

  private final TransactionConfig config;
  private final ProducerIdSource ids;
  private final KnownTransactions known;
  private long committedCount;
  private long abortedCount;
  private long timedOutCount;

  /** @param tickMs milliseconds from whenever, which nobody can set: for the timeouts */
  TransactionState(TransactionConfig config, ProducerIdSource ids, LongSupplier tickMs) {
    this.config = config;
    this.ids = ids;
    this.known = new KnownTransactions(tickMs);
  }

  /** What the log has made of them, for a start to replay it into and for whoever asks. */
  KnownTransactions known() {
    return known;
  }

  private void change(Transaction next, Decision decision) {
    store(new TransactionEvent.Changed(next), decision);
  }

  private void store(TransactionEvent event, Decision decision) {
    decision.store(event);
    known.apply(event);
  }

  // ---------------------------------------------------------------- requests

  /** What the answer to the request will add to the log and the memory, at most about; 0 where that does not matter. */
  static long costOf(TransactionRequest request) {
    if (request instanceof TransactionRequest.Initialize initialize) {
      return Transaction.sizeBytes(initialize.id(), 0);
    }
    return request instanceof TransactionRequest.Add add ? Transaction.sizeBytes(add.id(), add.partitions().size()) : 0;
  }

  /**
   * @param ticket names the request in the answer, which may be in a later decision
   * @throws IOException if there are no producer ids any more
   */
  Decision handle(long ticket, TransactionRequest request, long nowMs) throws IOException {
    Decision decision = new Decision();
    if (request instanceof TransactionRequest.Initialize initialize) {
      initialize(ticket, initialize, nowMs, decision);
    } else if (request instanceof TransactionRequest.Add add) {
      add(ticket, add, nowMs, decision);
    } else if (request instanceof TransactionRequest.End end) {
      end(ticket, end, nowMs, decision);
    } else if (request instanceof TransactionRequest.Describe describe) {
      List<Optional<Transaction>> found =
          describe.ids().stream().map(id -> known.find(id).map(Entry::now)).toList();
      decision.answer(ticket, new TransactionResult.Described(found));
    } else if (request instanceof TransactionRequest.ListAll list) {
      decision.answer(ticket, new TransactionResult.Listed(known.list(list, nowMs)));
    }
    return decision;
  }

  private void initialize(long ticket, TransactionRequest.Initialize initialize, long nowMs, Decision decision)
      throws IOException {
    String id = initialize.id();
    int idBytes = id.getBytes(StandardCharsets.UTF_8).length;
    if (idBytes < 1 || idBytes > MAX_ID_BYTES) {
      decision.refuse(ticket, TransactionError.INVALID_ID);
      return;
    }
    if (initialize.timeoutMs() < 1 || initialize.timeoutMs() > config.maxTimeout().toMillis()) {
      decision.refuse(ticket, TransactionError.INVALID_TIMEOUT);
      return;
    }
    Optional<Entry> found = known.find(id);
    if (found.isEmpty()) {
      if (known.sizeBytes() + costOf(initialize) > config.maxBytes()) {
        decision.refuse(ticket, TransactionError.MEMORY);
      } else {
        Transaction begun = Transaction.begun(id, ids.next(), initialize.timeoutMs(), nowMs);
        store(new TransactionEvent.Changed(begun), decision);
        decision.answer(ticket, new TransactionResult.Initialized(begun.producerId(), begun.epoch()));
      }
      return;
    }
    Entry entry = found.get();
    Transaction now = entry.now();
    if (initialize.current().isPresent() && !isOwner(initialize.current().get(), now)) {
      decision.refuse(ticket, TransactionError.FENCED);
      return;
    }
    switch (now.phase()) {
      case PREPARE_COMMIT, PREPARE_ABORT -> decision.refuse(ticket, TransactionError.CONCURRENT);
      case ONGOING -> {
        fence(entry, initialize.current().isPresent() ? now.epoch() : Transaction.NO_EPOCH, nowMs, decision);
        decision.refuse(ticket, TransactionError.CONCURRENT);
      }
      case EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT -> bump(ticket, entry, initialize, nowMs, decision);
    }
  }

  /** Whether it is the current producer, or one that asks again because it has not heard what it became. */
  private static boolean isOwner(Producer asker, Transaction now) {
    if (asker.id() == now.producerId()) {
      return asker.epoch() == now.epoch() || asker.epoch() == now.lastEpoch() && now.lastProducerId() == Transaction.NO_PRODUCER;
    }
    return asker.id() == now.lastProducerId() && asker.epoch() == now.lastEpoch();
  }

  private void bump(
      long ticket, Entry entry, TransactionRequest.Initialize initialize, long nowMs, Decision decision)
      throws IOException {
    Transaction now = entry.now();
    Optional<Producer> current = initialize.current();
    boolean isRepeat =
        current.isPresent() && !(current.get().id() == now.producerId() && current.get().epoch() == now.epoch());
    if (!isRepeat) {
      short given = current.map(Producer::epoch).orElse(Transaction.NO_EPOCH);
      Transaction next =
          Transaction.isExhausted(now.epoch())
              ? now.withProducer(ids.next(), (short) 0, now.producerId(), given, initialize.timeoutMs(), nowMs)
              : now.withProducer(
                  now.producerId(), (short) (now.epoch() + 1), Transaction.NO_PRODUCER, given, initialize.timeoutMs(), nowMs);
      change(next, decision);
    }
    decision.answer(ticket, new TransactionResult.Initialized(entry.now().producerId(), entry.now().epoch()));
  }

  private void add(long ticket, TransactionRequest.Add add, long nowMs, Decision decision) {
    Optional<TransactionError> problem = problemOf(add.id(), add.producer());
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    Entry entry = known.find(add.id()).orElseThrow();
    Transaction now = entry.now();
    boolean isOwed = now.owed().stream().anyMatch(owed -> add.partitions().contains(owed.partition()));
    if (now.phase().isPrepared() || isOwed) {
      decision.refuse(ticket, TransactionError.CONCURRENT);
    } else if (now.phase() == TransactionPhase.ONGOING && now.partitions().containsAll(add.partitions())) {
      decision.answer(ticket, TransactionResult.Done.INSTANCE);
    } else if (known.sizeBytes() + costOf(add) > config.maxBytes()) {
      decision.refuse(ticket, TransactionError.MEMORY);
    } else {
      change(now.ongoing(add.partitions(), nowMs), decision);
      decision.answer(ticket, TransactionResult.Done.INSTANCE);
    }
  }

  private Optional<TransactionError> problemOf(String id, Producer producer) {
    Optional<Transaction> now = known.find(id).map(Entry::now);
    if (now.isEmpty() || now.get().producerId() != producer.id()) {
      return Optional.of(TransactionError.INVALID_MAPPING);
    }
    return now.get().epoch() == producer.epoch() ? Optional.empty() : Optional.of(TransactionError.FENCED);
  }

  private void end(long ticket, TransactionRequest.End end, long nowMs, Decision decision) {
    Optional<TransactionError> problem = problemOf(end.id(), end.producer());
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    Entry entry = known.find(end.id()).orElseThrow();
    switch (entry.now().phase()) {
      case EMPTY -> decision.refuse(ticket, TransactionError.INVALID_STATE);
      case ONGOING -> {
        entry.endTickets.add(ticket);
        prepare(entry, entry.now().prepared(end.isCommit(), entry.now().epoch(), Transaction.NO_EPOCH, nowMs), nowMs, decision);
      }
      case PREPARE_COMMIT, PREPARE_ABORT -> {
        boolean isSame = end.isCommit() == (entry.now().phase() == TransactionPhase.PREPARE_COMMIT);
        decision.refuse(ticket, isSame ? TransactionError.CONCURRENT : TransactionError.INVALID_STATE);
      }
      case COMPLETE_COMMIT, COMPLETE_ABORT -> {
        boolean isSame = end.isCommit() == (entry.now().phase() == TransactionPhase.COMPLETE_COMMIT);
        decision.answer(
            ticket,
            isSame ? TransactionResult.Done.INSTANCE : new TransactionResult.Refused(TransactionError.INVALID_STATE));
      }
    }
  }

  /** @param resumableEpoch whose producer may go on with the next epoch, for nobody has taken its place */
  private void fence(Entry entry, short resumableEpoch, long nowMs, Decision decision) {
    short next = (short) Math.min(Short.MAX_VALUE, entry.now().epoch() + 1);
    prepare(entry, entry.now().prepared(false, next, resumableEpoch, nowMs), nowMs, decision);
  }

  private void prepare(Entry entry, Transaction prepared, long nowMs, Decision decision) {
    if (prepared.phase() == TransactionPhase.PREPARE_COMMIT) {
      committedCount++;
    } else {
      abortedCount++;
    }
    change(prepared, decision);
    tellUntold(entry, decision);
    completeIfTold(entry, nowMs, decision);
  }

  // ---------------------------------------------------------------- markers

  /** What became of telling a partition that a transaction has ended. */
  enum Told {
    /** It is on disk there, or there is nothing to end any more. */
    YES,
    /** There is no such partition any more. */
    GONE,
    /** Its storage failed: not before the next start. */
    FAILED
  }

  /** A partition has answered, or never will. */
  Decision told(Decision.Telling telling, Told told, long nowMs) {
    Decision decision = new Decision();
    Optional<Entry> found = known.find(telling.id());
    if (found.isEmpty()) {
      return decision;
    }
    Entry entry = found.get();
    Optional<OwedMarker> paid =
        entry.now().owed().stream()
            .filter(owed -> owed.partition().equals(telling.partition()) && owed.marker().equals(telling.marker()))
            .findFirst();
    boolean isCurrent = entry.now().phase().isPrepared() && markerOf(entry.now()).equals(telling.marker());
    if (paid.isPresent() && told != Told.FAILED) {
      List<OwedMarker> left = new ArrayList<>(entry.now().owed());
      left.remove(paid.get());
      change(entry.now().withOwed(left), decision);
    } else if (isCurrent && entry.untold.remove(telling.partition())) {
      if (told == Told.FAILED) {
        TransactionMarker marker = telling.marker();
        entry.failed.add(
            new OwedMarker(telling.partition(), marker.producerId(), marker.producerEpoch(), marker.isCommit()));
      }
      completeIfTold(entry, nowMs, decision);
    }
    return decision;
  }

  private void completeIfTold(Entry entry, long nowMs, Decision decision) {
    if (entry.untold.isEmpty()) {
      List<OwedMarker> owed = new ArrayList<>(entry.now().owed());
      owed.addAll(entry.failed);
      entry.failed.clear();
      change(entry.now().completed(owed, nowMs), decision);
      answerEnded(entry, decision);
    }
  }

  private static void answerEnded(Entry entry, Decision decision) {
    entry.endTickets.forEach(ticket -> decision.answer(ticket, TransactionResult.Done.INSTANCE));
    entry.endTickets.clear();
  }

  private static TransactionMarker markerOf(Transaction prepared) {
    boolean isCommit = prepared.phase() == TransactionPhase.PREPARE_COMMIT;
    return new TransactionMarker(prepared.producerId(), prepared.epoch(), isCommit, COORDINATOR_EPOCH);
  }

  private static void tellUntold(Entry entry, Decision decision) {
    for (TransactionPartition partition : entry.untold) {
      decision.tell(new Decision.Telling(entry.now().id(), partition, markerOf(entry.now())));
    }
  }

  /** Tells everybody once more who has not answered; who waits for an end is not kept waiting for them. */
  Decision tellAgain() {
    Decision decision = new Decision();
    for (Entry entry : known.entries()) {
      if (entry.now().phase().isPrepared()) {
        tellUntold(entry, decision);
      }
      for (OwedMarker owed : entry.now().owed()) {
        decision.tell(new Decision.Telling(entry.now().id(), owed.partition(), owed.marker()));
      }
      answerEnded(entry, decision);
    }
    return decision;
  }

  /** Whether {@link #tellAgain} has anybody to tell. */
  boolean hasUntold() {
    return known.entries().stream().anyMatch(entry -> !entry.untold.isEmpty() || !entry.now().owed().isEmpty());
  }

  // ---------------------------------------------------------------- time

  /** Aborts what has lasted too long; its producer is fenced, but may ask for the next epoch, by the one it has (KIP-588). */
  Decision expire(long nowMs) {
    Decision decision = new Decision();
    for (Optional<Entry> due = known.due(); due.isPresent(); due = known.due()) {
      fence(due.get(), due.get().now().epoch(), nowMs, decision);
      abortedCount--;
      timedOutCount++;
    }
    return decision;
  }

  /** Forgets transactional ids that nobody has used for long. */
  Decision expireIds(long nowMs) {
    Decision decision = new Decision();
    known.idleSince(nowMs - config.idExpiry().toMillis()).forEach(id -> store(new TransactionEvent.Removed(id), decision));
    return decision;
  }

  /** Looks at each. */
  TransactionCounts counts() {
    return known.counts(committedCount, abortedCount, timedOutCount);
  }
}
