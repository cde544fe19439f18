package kaka.bench;

import java.io.IOException;

/** What one connection reads of one partition, and does with it. */
interface Reading {
  /** What to ask for next. */
  long offset();

  /** How long an answer may wait for records. */
  int maxWaitMs();

  /**
   * An answer has come: the batches in {@code array[from, to)}, valid for as long as this runs.
   *
   * @param sinceNs when it was asked for
   * @throws IOException if it cannot be right
   */
  void onAnswer(
      long logStart, long highWatermark, byte[] array, int from, int to, long sinceNs, long nowNs) throws IOException;

  /** Whether nothing more is to be asked for. */
  boolean isDone(long nowNs);
}
