package kaka.bench;

/**
 * What one connection has in flight, and what each answer cost, without coordinated omission: where requests have times at which
 * they are due, an answer's latency counts from then, however late its request could be sent because the window was full of
 * others that had to wait. Otherwise one stall would be seen by a window of requests only, and not by all that would have
 * come meanwhile.
 */
final class Flight {
  private final Schedule schedule;
  private final long[] sinceNs;
  private long sent;
  private long answered;

  Flight(Schedule schedule, int window) {
    this.schedule = schedule;
    this.sinceNs = new long[window];
  }

  /** Whether the next request is due and the window has room. */
  boolean canSend(long nowNs) {
    return !isFull() && (!schedule.isPaced() || schedule.dueNs(sent) - nowNs <= 0);
  }

  boolean isPaced() {
    return schedule.isPaced();
  }

  boolean isFull() {
    return sent - answered == sinceNs.length;
  }

  /** Only where it is paced. */
  long nextDueNs() {
    return schedule.dueNs(sent);
  }

  /** The next request goes out; returns from when on its latency counts. */
  long send(long nowNs) {
    long since = schedule.isPaced() ? schedule.dueNs(sent) : nowNs;
    sinceNs[(int) (sent % sinceNs.length)] = since;
    sent++;
    return since;
  }

  /** From when on the oldest request in flight counts. */
  long oldestSinceNs() {
    if (answered == sent) {
      throw new IllegalStateException("an answer too many");
    }
    return sinceNs[(int) (answered % sinceNs.length)];
  }

  /** The oldest request in flight is answered. */
  void answer() {
    answered++;
  }

  /** Requests so far; also the next one's number. */
  long sent() {
    return sent;
  }

  /** The number of the request whose answer comes next. */
  long answered() {
    return answered;
  }

  boolean isEmpty() {
    return sent == answered;
  }

  /** How many requests were due before {@code nowNs} and are not sent. */
  long overdue(long nowNs) {
    if (!schedule.isPaced() || schedule.dueNs(sent) - nowNs >= 0) {
      return 0;
    }
    return (long) Math.ceil((nowNs - schedule.dueNs(sent)) / schedule.intervalNs());
  }

  /** From when on the {@code i}th of the {@link #overdue} ones counts. */
  long overdueSinceNs(long i) {
    return schedule.dueNs(sent + i);
  }
}
