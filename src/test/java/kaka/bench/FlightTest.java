package kaka.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a latency counts from, with a clock that the test moves. */
class FlightTest {
  private static final long MS = 1_000_000;

  private long now;
  private final List<Long> latenciesMs = new ArrayList<>();

  private void answer(Flight flight) {
    latenciesMs.add((now - flight.oldestSinceNs()) / MS);
    flight.answer();
  }

  private void sendAll(Flight flight) {
    while (flight.canSend(now)) {
      flight.send(now);
    }
  }

  /** One request a millisecond; the broker is silent from 2 ms to 12 ms: each request that was due meanwhile has waited. */
  @Test
  void aStallCostsEveryRequestThatWasDueMeanwhile() {
    Flight flight = new Flight(Schedule.paced(0, 1000, 0, 1), 1);

    for (now = 0; now < 2 * MS; now += MS) {
      sendAll(flight);
      answer(flight);
    }
    sendAll(flight);
    now = 12 * MS;
    answer(flight);
    while (flight.canSend(now)) {
      flight.send(now);
      answer(flight); // at once: the broker is fast again
    }

    assertEquals(List.of(0L, 0L, 10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L), latenciesMs);
  }

  @Test
  void withoutARateALatencyCountsFromSending() {
    Flight flight = new Flight(Schedule.unpaced(), 1);

    sendAll(flight);
    now = 10 * MS;
    answer(flight);
    sendAll(flight);
    answer(flight);

    assertEquals(List.of(10L, 0L), latenciesMs);
    assertEquals(0, flight.overdue(now));
  }

  @Test
  void nothingIsSentBeforeItIsDueNorBeyondTheWindow() {
    Flight flight = new Flight(Schedule.paced(5 * MS, 1000, 0, 1), 2);

    assertFalse(flight.canSend(now));
    now = 5 * MS;
    sendAll(flight);
    assertEquals(1, flight.sent());
    now = 100 * MS;
    sendAll(flight);
    assertEquals(2, flight.sent());
    assertTrue(flight.isFull());
  }

  @Test
  void connectionsTakeTurns() {
    List<Long> due = new ArrayList<>();
    for (int request = 0; request < 2; request++) {
      for (int connection = 0; connection < 4; connection++) {
        due.add(Schedule.paced(0, 1000, connection, 4).dueNs(request) / MS);
      }
    }

    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L), due);
  }

  @Test
  void whatWasDueAndNeverSentIsCounted() {
    Flight flight = new Flight(Schedule.paced(0, 1000, 0, 1), 1);
    sendAll(flight);

    now = 10 * MS;

    assertEquals(9, flight.overdue(now), "1 to 9 ms");
    assertEquals(1 * MS, flight.overdueSinceNs(0));
    assertEquals(9 * MS, flight.overdueSinceNs(8));
  }

  @Test
  void anAnswerToNothingIsABug() {
    assertThrows(IllegalStateException.class, () -> new Flight(Schedule.unpaced(), 1).oldestSinceNs());
  }
}
