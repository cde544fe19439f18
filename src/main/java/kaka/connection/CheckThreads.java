package kaka.connection;

import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Dispatchers;
import java.util.concurrent.Executor;
import kaka.metrics.CheckMetrics;

/**
 * Where batches are checked that take longer than other connections of the same thread should wait: those that are compressed, for
 * nobody knows what becomes of a few bytes, and large ones. In front of each stands at most one check of every open connection.
 *
 * @param brief what is likely to be done soon; a check that turns out to be long begins anew among the long ones
 * @param lengthy what takes long, in turns, so that nobody's short checks wait for anybody's long one
 */
public record CheckThreads(Executor brief, Executor lengthy) {
  /** Work up to which a check is a brief one, and what a long one may do in a turn, in bytes: some milliseconds. */
  static final int BRIEF_BYTES = 4 << 20;

  private static final String BRIEF = "kaka.dispatchers.checks";
  private static final String LENGTHY = "kaka.dispatchers.long-checks";

  public static CheckThreads of(Dispatchers dispatchers) {
    return new CheckThreads(
        dispatchers.lookup(DispatcherSelector.fromConfig(BRIEF)), dispatchers.lookup(DispatcherSelector.fromConfig(LENGTHY)));
  }

  /** The same threads; what they are given from here on is counted. */
  public CheckThreads counted(CheckMetrics metrics) {
    return new CheckThreads(metrics.brief(brief), metrics.lengthy(lengthy));
  }
}
