package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import kaka.connection.Connection;
import org.junit.jupiter.api.Test;

/** On a connection that does what it is told when the test says so, as one does when it has served the others of its thread. */
class TurnsTest {
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final List<Integer> seen = new ArrayList<>();
  private int overCount;

  private Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              assertEquals("tell", method.getName());
              told.add((Runnable) arguments[0]);
              return null;
            });
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void fewAreDoneAtOnce() {
    for (int count : new int[] {0, 1, Turns.ELEMENTS}) {
      seen.clear();
      overCount = 0;

      Turns.each(connection(), numbers(count), seen::add, () -> overCount++);

      assertEquals(numbers(count), seen);
      assertEquals(1, overCount);
      assertTrue(told.isEmpty());
    }
  }

  @Test
  void manyLetOthersHaveTheirTurns() {
    Turns.each(connection(), numbers(2 * Turns.ELEMENTS + 1), seen::add, () -> overCount++);
    assertEquals(numbers(Turns.ELEMENTS), seen);

    told.remove().run();
    assertEquals(numbers(2 * Turns.ELEMENTS), seen);
    assertEquals(0, overCount);
    told.remove().run();

    assertEquals(numbers(2 * Turns.ELEMENTS + 1), seen);
    assertEquals(1, overCount);
    assertTrue(told.isEmpty());
  }
}
