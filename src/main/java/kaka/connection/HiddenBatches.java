package kaka.connection;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaka.log.AbortedTransaction;
import kaka.log.LogSnapshot;

/**
 * Tells which batches are records of aborted transactions. It asks the log as the walk comes to transactional batches, for some
 * way ahead: what it holds is bounded by the transactions that end on that way, and those that are open at once.
 */
public final class HiddenBatches {
  private static final int OFFSETS_AHEAD = 10_000;

  private final LogSnapshot snapshot;
  private final Map<Long, List<AbortedTransaction>> aborted = new HashMap<>(); // by producer, from knownFrom to knownTo
  private long knownFrom;
  private long knownTo;

  /** @param snapshot up to where every transaction has ended */
  public HiddenBatches(LogSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /** Whether the batch that the walk stands on is one. */
  public boolean contains(StoredBatches walk) throws IOException {
    if (!walk.isTransactional() || walk.isControl()) {
      return false;
    }
    if (walk.baseOffset() < knownFrom || walk.nextOffset() > knownTo) {
      lookAhead(walk);
    }
    for (AbortedTransaction each : aborted.getOrDefault(walk.producerId(), List.of())) {
      if (each.firstOffset() <= walk.baseOffset() && walk.baseOffset() <= each.lastOffset()) {
        return true;
      }
    }
    return false;
  }

  private void lookAhead(StoredBatches walk) throws IOException {
    long to = Math.min(snapshot.highWatermark(), Math.max(walk.nextOffset(), walk.baseOffset() + OFFSETS_AHEAD));
    aborted.clear();
    for (AbortedTransaction each :
        snapshot.abortedTransactions(Math.max(walk.baseOffset(), snapshot.logStartOffset()), to)) {
      aborted.computeIfAbsent(each.producerId(), id -> new ArrayList<>()).add(each);
    }
    knownFrom = walk.baseOffset();
    knownTo = to;
  }
}
