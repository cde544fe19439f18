package kaka.console;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kaka.log.DataDirectory;

/**
 * How much is free on the disk, for pages that must not hang with it: a thread of its own asks, one question at a time, and nobody
 * waits for a disk longer than {@link #PATIENCE}, all of them together. Safe from any thread.
 */
final class FreeSpace {
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private final DataDirectory directory;
  private final Executor executor;
  private CompletableFuture<OptionalLong> asked = CompletableFuture.completedFuture(OptionalLong.empty()); // guarded by this
  private long askedNs; // guarded by this

  /** @param executor may be blocked for as long as the disk likes */
  FreeSpace(DataDirectory directory, Executor executor) {
    this.directory = directory;
    this.executor = executor;
  }

  /** Bytes; empty if the disk does not say, or not in time. */
  OptionalLong bytes() {
    CompletableFuture<OptionalLong> answer;
    long patienceNs;
    synchronized (this) {
      if (asked.isDone()) {
        asked = CompletableFuture.supplyAsync(this::ask, executor);
        askedNs = System.nanoTime();
      }
      answer = asked;
      patienceNs = PATIENCE.toNanos() - (System.nanoTime() - askedNs);
    }
    try {
      return answer.get(Math.max(0, patienceNs), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return OptionalLong.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private OptionalLong ask() {
    try {
      return OptionalLong.of(directory.disk().usableBytes(directory.path()));
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
