package kaka.console;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.log.Advice;
import kaka.log.StaleSnapshotException;
import kaka.record.NoAllowanceException;

/**
 * Runs what reads logs for the API: as many at a time as {@code kaka.dispatchers.admin-reads} has threads, and {@link #MAX} with those
 * that wait for one. A disk that hangs holds them, and nobody else.
 */
final class LogReads {
  static final int MAX = 10;

  /** So often a read begins anew because retention took a segment from under it. */
  private static final int TRIES = 5;

  private final Executor executor;
  private final AtomicInteger count = new AtomicInteger();

  LogReads(Executor executor) {
    this.executor = executor;
  }

  /**
   * @param read looks at partitions' views each time it is called
   * @throws ApiError if there are too many already
   */
  <T> CompletionStage<T> run(Callable<T> read) {
    if (count.incrementAndGet() > MAX) {
      count.decrementAndGet();
      throw ApiError.busy();
    }
    return CompletableFuture.supplyAsync(() -> answer(read), executor).whenComplete((answer, failure) -> count.decrementAndGet());
  }

  private static <T> T answer(Callable<T> read) {
    for (int tries = 1; ; tries++) {
      try {
        return read.call();
      } catch (StaleSnapshotException e) {
        if (tries == TRIES) {
          throw ApiError.unavailable("what was to be read is being deleted");
        }
      } catch (NoAllowanceException e) {
        throw ApiError.noMemory();
      } catch (IOException e) {
        throw ApiError.storage(Advice.reasonOf(e));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) { // Callable's, which none of ours throws
        throw new CompletionException(e);
      }
    }
  }
}
