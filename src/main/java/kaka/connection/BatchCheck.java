package kaka.connection;

import java.util.function.Function;
import kaka.record.Allowance;

/**
 * What it takes to look at one request's batches, or to make something of it, apart from the thread that serves its connection: see
 * {@link Checks}. Used by one thread at a time.
 *
 * @param <T> what comes of it
 */
public interface BatchCheck<T> {
  /**
   * Something that is made in one step, once it is its turn, unless the connection has ended before.
   *
   * @param result as {@link #result}
   */
  static <T> BatchCheck<T> whole(Function<Allowance, T> result) {
    return new BatchCheck<>() {
      @Override
      public boolean next(Allowance allowance) {
        return false;
      }

      @Override
      public T result(Allowance allowance) {
        return result.apply(allowance);
      }
    };
  }

  /**
   * Checks the next batch, or takes the next step. Where the allowance has enough of it, it throws; what it throws is let through, and the batch is the
   * next again.
   *
   * @param allowance asked for what decompressing holds, and for what is made, and told of all that is looked at: what is not given
   *     back goes with the result
   * @return false if that was the last
   */
  boolean next(Allowance allowance);

  /**
   * Asked once, when all are checked. The request is let go of: what comes of it lies in bytes of its own, or in all of it.
   *
   * @param allowance asked for such bytes before they are there: what is not given back goes with the result
   */
  T result(Allowance allowance);
}
