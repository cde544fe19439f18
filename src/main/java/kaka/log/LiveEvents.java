package kaka.log;

import java.util.Optional;

/** What the events of an {@link EventLog} come to. */
public interface LiveEvents<E> {
  /** In the log, about. */
  long sizeBytes();

  /** Walks through everything. */
  Walk<E> walk();

  /**
   * The events that would make all of it anew. Changes may be applied meanwhile: what was there at the start and has not been
   * removed comes once, as it is when its turn comes; what was removed does not come.
   */
  @FunctionalInterface
  interface Walk<E> {
    /** The next one; empty at the end. */
    Optional<E> next();
  }
}
