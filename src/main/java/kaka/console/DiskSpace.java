package kaka.console;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kaka.log.DataDirectory;
import kaka.log.Disk;

/**
 * How large the disk is and how much of it is free, for pages that must not hang with it: a thread of its own asks, one question at a
 * time, and nobody waits for a disk longer than {@link #PATIENCE}, all of them together. Safe from any thread.
 */
final class DiskSpace {
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * What a disk says.
   *
   * @param freeBytes that the broker can still write
   * @param totalBytes of all who use it
   */
  record Space(long freeBytes, long totalBytes) {}

  private final DataDirectory directory;
  private final Executor executor;
  private CompletableFuture<Optional<Space>> asked = CompletableFuture.completedFuture(Optional.empty()); // guarded by this
  private long askedNs; // guarded by this

  /** @param executor may be blocked for as long as the disk likes */
  DiskSpace(DataDirectory directory, Executor executor) {
    this.directory = directory;
    this.executor = executor;
  }

  /** Empty if the disk does not say, or not in time. */
  Optional<Space> space() {
    CompletableFuture<Optional<Space>> answer;
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
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private Optional<Space> ask() {
    Disk disk = directory.disk();
    try {
      return Optional.of(new Space(disk.usableBytes(directory.path()), disk.totalBytes(directory.path())));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
