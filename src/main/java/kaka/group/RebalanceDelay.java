package kaka.group;

import java.util.OptionalLong;

/**
 * How long a rebalance waits for members: as long as the slowest of them may take. That of an empty group waits for others to
 * come, too: first its delay, then once more as long as somebody came meanwhile, and no longer than a member may take.
 */
final class RebalanceDelay {
  private final long initialDelayMs;
  private OptionalLong deadlineMs = OptionalLong.empty();
  private boolean isInitial;
  private long initialRestMs;
  private boolean hasNewMember;

  RebalanceDelay(long initialDelayMs) {
    this.initialDelayMs = initialDelayMs;
  }

  /** @param rebalanceMs what the slowest member may take */
  void begin(boolean isOfEmptyGroup, long rebalanceMs, long nowMs) {
    isInitial = isOfEmptyGroup && initialDelayMs > 0;
    hasNewMember = false;
    long delayMs = isInitial ? Math.min(initialDelayMs, rebalanceMs) : rebalanceMs;
    initialRestMs = rebalanceMs - delayMs;
    deadlineMs = OptionalLong.of(nowMs + delayMs);
  }

  void memberHasCome() {
    hasNewMember = true;
  }

  /** Whether it goes on although all members have joined. */
  boolean isInitial() {
    return isInitial;
  }

  /** @return whether the delay, which is over, is waited out once more */
  boolean isExtended(long nowMs) {
    if (!isInitial || !hasNewMember || initialRestMs <= 0) {
      return false;
    }
    long delayMs = Math.min(initialDelayMs, initialRestMs);
    initialRestMs -= delayMs;
    hasNewMember = false;
    deadlineMs = OptionalLong.of(nowMs + delayMs);
    return true;
  }

  /** Waits on, for members that are away. */
  void waitOn(long untilMs) {
    deadlineMs = OptionalLong.of(untilMs);
  }

  void end() {
    isInitial = false;
    deadlineMs = OptionalLong.empty();
  }

  OptionalLong deadlineMs() {
    return deadlineMs;
  }
}
