package kaka.transaction;

import java.util.Map;
import java.util.OptionalLong;

/**
 * Transactions in numbers, at one moment.
 *
 * @param byPhase transactional ids; a phase that none is in is not there
 * @param oldestStartedMs when the oldest that is not over began, in milliseconds since 1970; empty if all are over
 * @param committed decided since the start, as are the other two
 * @param aborted on somebody's demand
 * @param timedOut aborted because they lasted too long
 */
public record TransactionCounts(
    Map<TransactionPhase, Integer> byPhase, OptionalLong oldestStartedMs, long committed, long aborted, long timedOut) {
  static final TransactionCounts NONE = new TransactionCounts(Map.of(), OptionalLong.empty(), 0, 0, 0);

  public TransactionCounts {
    byPhase = Map.copyOf(byPhase);
  }
}
