package kaka.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** A producer's counts. One thread writes all but {@link #sent}; any thread reads. */
final class ProducerCounters {
  private final LongAdder sent = new LongAdder();
  private volatile long acked;
  private volatile long failed;
  private volatile int inFlight;
  private volatile int peakInFlight;
  private final CompletableFuture<KakaException> firstFailure = new CompletableFuture<>();

  void sent() {
    sent.increment();
  }

  void acked(int records) {
    acked = acked + records;
  }

  void failed(int records, KakaException failure) {
    failed = failed + records;
    firstFailure.complete(failure);
  }

  void inFlight(int requests) {
    inFlight = requests;
    if (requests > peakInFlight) {
      peakInFlight = requests;
    }
  }

  long sentRecords() {
    return sent.sum();
  }

  long ackedRecords() {
    return acked;
  }

  long failedRecords() {
    return failed;
  }

  int inFlight() {
    return inFlight;
  }

  int peakInFlight() {
    return peakInFlight;
  }

  CompletableFuture<KakaException> firstFailure() {
    return firstFailure.copy(); // nobody outside completes it
  }
}
