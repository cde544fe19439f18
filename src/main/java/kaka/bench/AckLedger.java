package kaka.bench;

import java.util.Arrays;

/**
 * Which requests of one connection were acknowledged, and with which offsets, in a fixed amount of memory: for each range of
 * requests the sum of a hash of (request, offset). What is read back is taken off again; a range that is not zero then was
 * acknowledged with other offsets than those where its records are. Refused requests are kept one by one.
 */
final class AckLedger {
  /** Refused requests that are remembered. A run with more of them has failed. */
  static final int MAX_REFUSED = 10_000;

  private static final int RANGES = 1024;

  private final long[] sums = new long[RANGES];
  private long requestsPerRange = 1;
  private long answered;
  private long[] refused = new long[8];
  private int refusedCount;

  /** The next request, in the order in which they were sent, was stored from {@code baseOffset} on. */
  void acknowledge(long baseOffset) {
    while (answered / requestsPerRange >= RANGES) {
      halve();
    }
    sums[(int) (answered / requestsPerRange)] += hash(answered, baseOffset);
    answered++;
  }

  /** The next request was not acknowledged; returns false if no more of that can be remembered. */
  boolean refuse() {
    if (refusedCount == MAX_REFUSED) {
      return false;
    }
    if (refusedCount == refused.length) {
      refused = Arrays.copyOf(refused, refusedCount * 2);
    }
    refused[refusedCount++] = answered++;
    return true;
  }

  /** Requests that were answered; those behind them are not known to be stored or not. */
  long answered() {
    return answered;
  }

  int refusedCount() {
    return refusedCount;
  }

  boolean isAcknowledged(long request) {
    return request < answered && Arrays.binarySearch(refused, 0, refusedCount, request) < 0;
  }

  /** How many of the requests from {@code from} to before {@code to} were acknowledged. */
  long acknowledgedBetween(long from, long to) {
    long end = Math.min(to, answered);
    if (end <= from) {
      return 0;
    }
    return end - from - (refusedBefore(end) - refusedBefore(from));
  }

  private int refusedBefore(long request) {
    int at = Arrays.binarySearch(refused, 0, refusedCount, request);
    return at < 0 ? -at - 1 : at;
  }

  /** The first record of an acknowledged request was read at {@code offset}. */
  void found(long request, long offset) {
    sums[(int) (request / requestsPerRange)] -= hash(request, offset);
  }

  /** After everything was read: ranges in which something was stored elsewhere than its ack said, or not at all. */
  long rangesThatDiffer() {
    return Arrays.stream(sums).filter(sum -> sum != 0).count();
  }

  private void halve() {
    for (int i = 0; i < RANGES / 2; i++) {
      sums[i] = sums[2 * i] + sums[2 * i + 1];
    }
    Arrays.fill(sums, RANGES / 2, RANGES, 0);
    requestsPerRange *= 2;
  }

  /** Mixed well (Stafford's variant 13 of MurmurHash3's finalizer), so that only chance makes the sums of different pairs equal. */
  private static long hash(long request, long offset) {
    return mix(request * 0x9e37_79b9_7f4a_7c15L + mix(offset + 1));
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
    return z ^ z >>> 31;
  }
}
