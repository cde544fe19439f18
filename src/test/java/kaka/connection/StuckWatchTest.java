package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import kaka.connection.StuckWatch.Sight;
import kaka.connection.StuckWatch.Stuck;
import org.junit.jupiter.api.Test;

/** When a connection has stood still for too long, by a clock that the test moves. */
class StuckWatchTest {
  private static final Optional<Stuck> NOT = Optional.empty();

  private final StuckWatch watch = new StuckWatch(timeouts(100, 10, 20));

  private static ConnectionTimeouts timeouts(int idleSeconds, int frameSeconds, int writeSeconds) {
    return new ConnectionTimeouts(
        Duration.ofSeconds(idleSeconds), Duration.ofSeconds(frameSeconds), Duration.ofSeconds(writeSeconds));
  }

  private Optional<Stuck> look(Sight sight, int seconds) {
    return watch.look(sight, Duration.ofSeconds(seconds).toNanos());
  }

  private static Sight idle(long chunks) {
    return new Sight(true, chunks, false, 0, false, 0);
  }

  private static Sight inFrame(long cutFrames) {
    return new Sight(false, 7, true, cutFrames, false, 0);
  }

  private static Sight writing(long writes) {
    return new Sight(false, 7, false, 0, true, writes);
  }

  @Test
  void idleForTheTimeIsIdle() {
    assertEquals(NOT, look(idle(0), 1000));
    assertEquals(NOT, look(idle(0), 1099));
    assertEquals(Optional.of(Stuck.IDLE), look(idle(0), 1100));
  }

  /** It was not looked at while it was busy, but something came: the time starts anew. */
  @Test
  void requestBetweenLooksStartsTheIdleTimeAnew() {
    look(idle(0), 0);

    assertEquals(NOT, look(idle(1), 100));
    assertEquals(NOT, look(idle(1), 199));
    assertEquals(Optional.of(Stuck.IDLE), look(idle(1), 200));
  }

  @Test
  void connectionThatWaitsForItsAnswerIsNeverIdle() {
    Sight waiting = new Sight(false, 3, false, 5, false, 2);

    for (int day = 0; day < 10; day++) {
      assertEquals(NOT, look(waiting, day * 86_400));
    }
  }

  @Test
  void zeroMeansNeverIdle() {
    StuckWatch never = new StuckWatch(timeouts(0, 10, 20));
    never.look(idle(0), 0);

    assertEquals(NOT, never.look(idle(0), Duration.ofDays(300).toNanos()));
  }

  /** However many bytes trickle in: what counts is that it is still the same request. */
  @Test
  void requestThatDoesNotBecomeCompleteIsStuck() {
    look(inFrame(3), 0);

    assertEquals(NOT, look(new Sight(false, 99, true, 3, false, 0), 9));
    assertEquals(Optional.of(Stuck.FRAME), look(new Sight(false, 100, true, 3, false, 0), 10));
  }

  @Test
  void oneRequestAfterAnotherIsNotStuck() {
    for (int i = 0; i < 100; i++) {
      assertEquals(NOT, look(inFrame(i), i * 9));
    }
  }

  /** Between two looks the first was completed, answered, and nothing is begun. */
  @Test
  void completeRequestEndsItsTime() {
    look(inFrame(3), 0);
    look(idle(0), 9);

    assertEquals(NOT, look(inFrame(4), 12));
    assertEquals(NOT, look(inFrame(4), 21));
    assertEquals(Optional.of(Stuck.FRAME), look(inFrame(4), 22));
  }

  @Test
  void writeThatIsNotTakenIsStuck() {
    look(writing(1), 0);
    assertEquals(NOT, look(writing(2), 19));
    assertEquals(NOT, look(writing(2), 38));

    assertEquals(Optional.of(Stuck.WRITE), look(writing(2), 39));
  }

  @Test
  void looksAreFourInTheShortestTime() {
    assertEquals(Duration.ofMillis(2500), timeouts(100, 10, 20).lookInterval());
    assertEquals(Duration.ofMillis(500), timeouts(2, 10, 20).lookInterval());
    assertEquals(Duration.ofSeconds(5), timeouts(0, 60, 20).lookInterval());
  }

  @Test
  void timeoutsThatMakeNoSenseAreRefused() {
    assertRefused("idle-timeout", () -> timeouts(-1, 10, 20));
    assertRefused("frame-timeout", () -> timeouts(0, 0, 20));
    assertRefused("write-timeout", () -> timeouts(0, 10, 86_401));
  }

  private static void assertRefused(String name, Runnable made) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, made::run);
    assertTrue(refused.getMessage().startsWith(name + " "), refused.getMessage());
  }
}
