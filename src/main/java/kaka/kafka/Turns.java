package kaka.kafka;

import java.util.Iterator;
import java.util.function.Consumer;
import kaka.connection.Connection;

/**
 * Goes through the elements of a request on its connection's thread, some at a time: where there are many, other connections of that
 * thread have their turns between. If the connection ends meanwhile, so does this.
 */
final class Turns {
  /** A millisecond or two of those that take longest. */
  static final int ELEMENTS = 128;

  private Turns() {}

  /** @param then called once, after the last: before this returns if they are few */
  static <E> void each(Connection connection, Iterable<E> elements, Consumer<E> action, Runnable then) {
    goOn(connection, elements.iterator(), action, then);
  }

  private static <E> void goOn(Connection connection, Iterator<E> left, Consumer<E> action, Runnable then) {
    for (int i = 0; i < ELEMENTS && left.hasNext(); i++) {
      action.accept(left.next());
    }
    if (left.hasNext()) {
      connection.tell(() -> goOn(connection, left, action, then));
    } else {
      then.run();
    }
  }
}
