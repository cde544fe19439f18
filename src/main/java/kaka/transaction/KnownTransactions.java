package kaka.transaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
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

/**
 * All transactions of a broker as the events of their log make them, and what is known of each only until the next start: who has
 * not been told of its end, who waits for that, and when its time is up.
 *
 * <p>{@code nowMs} is of the time of day, which may be set at any time. Timeouts do not go by it, but by a clock that nobody can set;
 * only from a start to the next, where there is none, they are reckoned from the time of day, and then no more can be left than all.
 */
final class KnownTransactions {
  /** One of them; changed by {@link #apply} alone, but for the collections. */
  static final class Entry {
    final Set<TransactionPartition> untold = new LinkedHashSet<>(); // while prepared
    final List<OwedMarker> failed = new ArrayList<>(); // of the prepared one
    final List<Long> endTickets = new ArrayList<>();
    private Transaction now;
    private long deadlineMs; // while ongoing

    private Entry(Transaction now) {
      this.now = now;
    }

    Transaction now() {
      return now;
    }
  }

  private record Deadline(long atMs, String id) {}

  private final LongSupplier tickMs;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final TreeSet<Deadline> deadlines =
      new TreeSet<>(Comparator.comparingLong(Deadline::atMs).thenComparing(Deadline::id));
  private long sizeBytes;

  /** @param tickMs milliseconds from whenever, which nobody can set: for the timeouts */
  KnownTransactions(LongSupplier tickMs) {
    this.tickMs = tickMs;
  }

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

  Optional<Entry> find(String id) {
    return Optional.ofNullable(entries.get(id));
  }

  Collection<Entry> entries() {
    return entries.values();
  }

  List<Transaction> all() {
    return entries.values().stream().map(Entry::now).toList();
  }

  int count() {
    return entries.size();
  }

  /** Looks at each; what has ended since the start is for whoever decides. */
  TransactionCounts counts(long committed, long aborted, long timedOut) {
    Map<TransactionPhase, Integer> byPhase = new EnumMap<>(TransactionPhase.class);
    OptionalLong oldest = OptionalLong.empty();
    for (Entry entry : entries.values()) {
      TransactionPhase phase = entry.now.phase();
      byPhase.merge(phase, 1, Integer::sum);
      if (phase == TransactionPhase.ONGOING || phase.isPrepared()) {
        oldest = OptionalLong.of(Math.min(entry.now.startedMs(), oldest.orElse(Long.MAX_VALUE)));
      }
    }
    return new TransactionCounts(byPhase, oldest, committed, aborted, timedOut);
  }

  /** In memory and in the log, about. */
  long sizeBytes() {
    return sizeBytes;
  }

  /** When, by the clock of timeouts, {@link #due} has something; empty while nothing is ongoing. */
  OptionalLong nextDeadlineMs() {
    return deadlines.isEmpty() ? OptionalLong.empty() : OptionalLong.of(deadlines.first().atMs());
  }

  /** One whose time is up. */
  Optional<Entry> due() {
    return deadlines.isEmpty() || deadlines.first().atMs() > tickMs.getAsLong()
        ? Optional.empty()
        : find(deadlines.first().id());
  }

  /** Transactional ids that nobody has used since {@code limitMs}. */
  List<String> idleSince(long limitMs) {
    return entries.values().stream()
        .map(Entry::now)
        .filter(now -> now.phase() != TransactionPhase.ONGOING && !now.phase().isPrepared() && now.owed().isEmpty())
        .filter(now -> now.changedMs() <= limitMs)
        .map(Transaction::id)
        .toList();
  }

  /** Whether the partition has part in a transaction of the producer that is not ended everywhere: it will be, by this. */
  boolean hasPart(long producerId, TransactionPartition partition) {
    return entries.values().stream().map(Entry::now).anyMatch(now -> hasPart(now, producerId, partition));
  }

  private static boolean hasPart(Transaction now, long producerId, TransactionPartition partition) {
    boolean isHis = now.producerId() == producerId || now.lastProducerId() == producerId;
    boolean isUnended = now.phase() == TransactionPhase.ONGOING || now.phase().isPrepared();
    return isHis && isUnended && now.partitions().contains(partition)
        || now.owed().stream().anyMatch(owed -> owed.partition().equals(partition) && owed.marker().producerId() == producerId);
  }

  List<Transaction> list(TransactionRequest.ListAll list, long nowMs) {
    return entries.values().stream()
        .map(Entry::now)
        .filter(each -> list.phases().isEmpty() || list.phases().contains(each.phase()))
        .filter(each -> list.producerIds().isEmpty() || list.producerIds().contains(each.producerId()))
        .filter(
            each ->
                list.lastingMs().isEmpty()
                    || each.startedMs() >= 0 && nowMs - each.startedMs() > list.lastingMs().getAsLong())
        .toList();
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
