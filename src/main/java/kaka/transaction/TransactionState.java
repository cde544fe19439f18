package kaka.transaction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import kaka.log.LiveEvents;
import kaka.record.TransactionMarker;
import kaka.transaction.TransactionRequest.Producer;

/**
 * All transactions of a broker, without actors or disk. What is asked, answered by a partition, or due gives a
 * {@link Decision}, whose events this has applied already: its owner makes them durable before it lets anybody know, and where it
 * cannot, this is of no use any more. {@link #apply} is also what a start replays the log with.
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
 * <p>{@code nowMs}, which is stored and told to people, is of the time of day, which may be set at any time. The timeout of a
 * transaction does not go by it, but by a clock that nobody can set; only from a start to the next, where there is none, it is
 * reckoned from the time of day, and then no more of it can be left than all.
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

  private static final class Entry {
    Transaction now;
    long deadlineMs; // while ongoing
    final Set<TransactionPartition> untold = new LinkedHashSet<>(); // while prepared
    final List<OwedMarker> failed = new ArrayList<>(); // of the prepared one
    final List<Long> endTickets = new ArrayList<>();

    Entry(Transaction now) {
      this.now = now;
    }
  }

  private record Deadline(long atMs, String id) {}

  private final TransactionConfig config;
  private final ProducerIdSource ids;
  private final LongSupplier tickMs;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final TreeSet<Deadline> deadlines =
      new TreeSet<>(Comparator.comparingLong(Deadline::atMs).thenComparing(Deadline::id));
  private long sizeBytes;

  /** @param tickMs milliseconds from whenever, which nobody can set: for the timeouts */
  TransactionState(TransactionConfig config, ProducerIdSource ids, LongSupplier tickMs) {
    this.config = config;
    this.ids = ids;
    this.tickMs = tickMs;
  }

  // ---------------------------------------------------------------- what is durable

  /** An event that is, or is about to be, on disk. */
  void apply(TransactionEvent event) {
    Entry before = entries.get(event.id());
    if (before != null) {
      sizeBytes -= before.now.sizeBytes();
      deadlines.remove(deadlineOf(before));
    }
    if (event instanceof TransactionEvent.Changed changed) {
      Transaction next = changed.transaction();
      boolean wasOngoing = before != null && before.now.phase() == TransactionPhase.ONGOING;
      boolean wasPrepared = before != null && before.now.phase().isPrepared();
      Entry entry = before == null ? new Entry(next) : before;
      entries.put(next.id(), entry);
      entry.now = next;
      if (!next.phase().isPrepared()) {
        entry.untold.clear();
        entry.failed.clear();
      } else if (!wasPrepared) {
        entry.untold.addAll(next.partitions());
      }
      sizeBytes += next.sizeBytes();
      if (next.phase() == TransactionPhase.ONGOING) {
        entry.deadlineMs = wasOngoing ? entry.deadlineMs : tickMs.getAsLong() + next.timeoutMs();
        deadlines.add(deadlineOf(entry));
      }
    } else {
      entries.remove(event.id());
    }
  }

  private static Deadline deadlineOf(Entry entry) {
    return new Deadline(entry.deadlineMs, entry.now.id());
  }

  /** The log is replayed: what has passed of the timeouts has passed. */
  void opened(long nowMs) {
    long tick = tickMs.getAsLong();
    deadlines.clear();
    for (Entry entry : entries.values()) {
      if (entry.now.phase() == TransactionPhase.ONGOING) {
        long leftMs = entry.now.startedMs() + entry.now.timeoutMs() - nowMs;
        entry.deadlineMs = tick + Math.max(0, Math.min(leftMs, entry.now.timeoutMs()));
        deadlines.add(deadlineOf(entry));
      }
    }
  }

  private void change(Transaction next, Decision decision) {
    store(new TransactionEvent.Changed(next), decision);
  }

  private void store(TransactionEvent event, Decision decision) {
    decision.store(event);
    apply(event);
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
          describe.ids().stream().map(id -> Optional.ofNullable(entries.get(id)).map(entry -> entry.now)).toList();
      decision.answer(ticket, new TransactionResult.Described(found));
    } else if (request instanceof TransactionRequest.ListAll list) {
      decision.answer(ticket, new TransactionResult.Listed(list(list, nowMs)));
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
    Entry entry = entries.get(id);
    if (entry == null) {
      if (sizeBytes + costOf(initialize) > config.maxBytes()) {
        decision.refuse(ticket, TransactionError.MEMORY);
      } else {
        Transaction begun = Transaction.begun(id, ids.next(), initialize.timeoutMs(), nowMs);
        store(new TransactionEvent.Changed(begun), decision);
        decision.answer(ticket, new TransactionResult.Initialized(begun.producerId(), begun.epoch()));
      }
      return;
    }
    Transaction now = entry.now;
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
    Transaction now = entry.now;
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
    decision.answer(ticket, new TransactionResult.Initialized(entry.now.producerId(), entry.now.epoch()));
  }

  private void add(long ticket, TransactionRequest.Add add, long nowMs, Decision decision) {
    Optional<TransactionError> problem = problemOf(add.id(), add.producer());
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    Entry entry = entries.get(add.id());
    Transaction now = entry.now;
    boolean isOwed = now.owed().stream().anyMatch(owed -> add.partitions().contains(owed.partition()));
    if (now.phase().isPrepared() || isOwed) {
      decision.refuse(ticket, TransactionError.CONCURRENT);
    } else if (now.phase() == TransactionPhase.ONGOING && now.partitions().containsAll(add.partitions())) {
      decision.answer(ticket, TransactionResult.Done.INSTANCE);
    } else if (sizeBytes + costOf(add) > config.maxBytes()) {
      decision.refuse(ticket, TransactionError.MEMORY);
    } else {
      change(now.ongoing(add.partitions(), nowMs), decision);
      decision.answer(ticket, TransactionResult.Done.INSTANCE);
    }
  }

  private Optional<TransactionError> problemOf(String id, Producer producer) {
    Entry entry = entries.get(id);
    if (entry == null || entry.now.producerId() != producer.id()) {
      return Optional.of(TransactionError.INVALID_MAPPING);
    }
    return entry.now.epoch() == producer.epoch() ? Optional.empty() : Optional.of(TransactionError.FENCED);
  }

  private void end(long ticket, TransactionRequest.End end, long nowMs, Decision decision) {
    Optional<TransactionError> problem = problemOf(end.id(), end.producer());
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    Entry entry = entries.get(end.id());
    switch (entry.now.phase()) {
      case EMPTY -> decision.refuse(ticket, TransactionError.INVALID_STATE);
      case ONGOING -> {
        entry.endTickets.add(ticket);
        prepare(entry, entry.now.prepared(end.isCommit(), entry.now.epoch(), Transaction.NO_EPOCH, nowMs), nowMs, decision);
      }
      case PREPARE_COMMIT, PREPARE_ABORT -> {
        boolean isSame = end.isCommit() == (entry.now.phase() == TransactionPhase.PREPARE_COMMIT);
        decision.refuse(ticket, isSame ? TransactionError.CONCURRENT : TransactionError.INVALID_STATE);
      }
      case COMPLETE_COMMIT, COMPLETE_ABORT -> {
        boolean isSame = end.isCommit() == (entry.now.phase() == TransactionPhase.COMPLETE_COMMIT);
        decision.answer(
            ticket,
            isSame ? TransactionResult.Done.INSTANCE : new TransactionResult.Refused(TransactionError.INVALID_STATE));
      }
    }
  }

  /** @param resumableEpoch whose producer may go on with the next epoch, for nobody has taken its place */
  private void fence(Entry entry, short resumableEpoch, long nowMs, Decision decision) {
    short next = (short) Math.min(Short.MAX_VALUE, entry.now.epoch() + 1);
    prepare(entry, entry.now.prepared(false, next, resumableEpoch, nowMs), nowMs, decision);
  }

  private void prepare(Entry entry, Transaction prepared, long nowMs, Decision decision) {
    change(prepared, decision);
    tellUntold(entry, decision);
    completeIfTold(entry, nowMs, decision);
  }

  private List<Transaction> list(TransactionRequest.ListAll list, long nowMs) {
    return entries.values().stream()
        .map(entry -> entry.now)
        .filter(each -> list.phases().isEmpty() || list.phases().contains(each.phase()))
        .filter(each -> list.producerIds().isEmpty() || list.producerIds().contains(each.producerId()))
        .filter(
            each ->
                list.lastingMs().isEmpty()
                    || each.startedMs() >= 0 && nowMs - each.startedMs() > list.lastingMs().getAsLong())
        .toList();
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
    Entry entry = entries.get(telling.id());
    if (entry == null) {
      return decision;
    }
    Optional<OwedMarker> paid =
        entry.now.owed().stream()
            .filter(owed -> owed.partition().equals(telling.partition()) && owed.marker().equals(telling.marker()))
            .findFirst();
    boolean isCurrent = entry.now.phase().isPrepared() && markerOf(entry.now).equals(telling.marker());
    if (paid.isPresent() && told != Told.FAILED) {
      List<OwedMarker> left = new ArrayList<>(entry.now.owed());
      left.remove(paid.get());
      change(entry.now.withOwed(left), decision);
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
      List<OwedMarker> owed = new ArrayList<>(entry.now.owed());
      owed.addAll(entry.failed);
      entry.failed.clear();
      change(entry.now.completed(owed, nowMs), decision);
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
      decision.tell(new Decision.Telling(entry.now.id(), partition, markerOf(entry.now)));
    }
  }

  /** Tells everybody once more who has not answered; who waits for an end is not kept waiting for them. */
  Decision tellAgain() {
    Decision decision = new Decision();
    for (Entry entry : entries.values()) {
      if (entry.now.phase().isPrepared()) {
        tellUntold(entry, decision);
      }
      for (OwedMarker owed : entry.now.owed()) {
        decision.tell(new Decision.Telling(entry.now.id(), owed.partition(), owed.marker()));
      }
      answerEnded(entry, decision);
    }
    return decision;
  }

  /** Whether {@link #tellAgain} has anybody to tell. */
  boolean hasUntold() {
    return entries.values().stream().anyMatch(entry -> !entry.untold.isEmpty() || !entry.now.owed().isEmpty());
  }

  // ---------------------------------------------------------------- time

  /** When, by the clock of timeouts, {@link #expire} has something to do; empty while nothing is ongoing. */
  OptionalLong nextDeadlineMs() {
    return deadlines.isEmpty() ? OptionalLong.empty() : OptionalLong.of(deadlines.first().atMs());
  }

  /** Aborts what has lasted too long; its producer is fenced, but may ask for the next epoch, by the one it has (KIP-588). */
  Decision expire(long nowMs) {
    Decision decision = new Decision();
    while (!deadlines.isEmpty() && deadlines.first().atMs() <= tickMs.getAsLong()) {
      Entry entry = entries.get(deadlines.first().id());
      fence(entry, entry.now.epoch(), nowMs, decision);
    }
    return decision;
  }

  /** Forgets transactional ids that nobody has used for long. */
  Decision expireIds(long nowMs) {
    Decision decision = new Decision();
    long limitMs = nowMs - config.idExpiry().toMillis();
    List<String> old = new ArrayList<>();
    for (Entry entry : entries.values()) {
      Transaction now = entry.now;
      boolean isIdle = now.phase() != TransactionPhase.ONGOING && !now.phase().isPrepared() && now.owed().isEmpty();
      if (isIdle && now.changedMs() <= limitMs) {
        old.add(now.id());
      }
    }
    old.forEach(id -> store(new TransactionEvent.Removed(id), decision));
    return decision;
  }

  // ---------------------------------------------------------------- all of it

  List<Transaction> all() {
    return entries.values().stream().map(entry -> entry.now).toList();
  }

  int count() {
    return entries.size();
  }

  /** Whether the partition has part in a transaction of the producer that is not ended everywhere: it will be, by this. */
  boolean hasPart(long producerId, TransactionPartition partition) {
    return entries.values().stream().map(entry -> entry.now).anyMatch(now -> hasPart(now, producerId, partition));
  }

  private static boolean hasPart(Transaction now, long producerId, TransactionPartition partition) {
    boolean isHis = now.producerId() == producerId || now.lastProducerId() == producerId;
    boolean isUnended = now.phase() == TransactionPhase.ONGOING || now.phase().isPrepared();
    return isHis && isUnended && now.partitions().contains(partition)
        || now.owed().stream().anyMatch(owed -> owed.partition().equals(partition) && owed.marker().producerId() == producerId);
  }

  /** For the compaction of the log. */
  LiveEvents<TransactionEvent> live() {
    return new LiveEvents<>() {
      @Override
      public long sizeBytes() {
        return sizeBytes;
      }

      @Override
      public Walk<TransactionEvent> walk() {
        Iterator<String> each = new ArrayList<>(entries.keySet()).iterator();
        return () -> {
          while (each.hasNext()) {
            Entry entry = entries.get(each.next());
            if (entry != null) {
              return Optional.of(new TransactionEvent.Changed(entry.now));
            }
          }
          return Optional.empty();
        };
      }
    };
  }
}
