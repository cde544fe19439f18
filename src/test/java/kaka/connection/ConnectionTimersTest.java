package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kaka.socket.SelectorLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Times that have come already, in an order: nothing here depends on how late the thread is. */
@Timeout(180)
class ConnectionTimersTest {
  private static final Duration FIRST = Duration.ofHours(-3);
  private static final Duration SECOND = Duration.ofHours(-2);
  private static final Duration LAST = Duration.ofHours(-1);

  private final List<String> ran = new ArrayList<>();
  private SelectorLoop loop;

  @BeforeEach
  void start() throws IOException {
    loop = SelectorLoop.crashing("loop-under-test", 1024);
    loop.start(() -> {});
  }

  @AfterEach
  void stop() {
    loop.close();
  }

  /** Runs {@code script} on the loop, with timers whose dues are run as soon as they are told, and returns what ran until the last timer. */
  private List<String> ran(Consumer<ConnectionTimers> script) {
    CompletableFuture<List<String>> all = new CompletableFuture<>();
    loop.execute(
        () -> {
          ConnectionTimers[] self = new ConnectionTimers[1];
          ConnectionTimers timers = new ConnectionTimers(loop, due -> self[0].run(due));
          self[0] = timers;
          script.accept(timers);
          loop.schedule(LAST, () -> loop.schedule(Duration.ZERO, () -> all.complete(ran)));
        });
    return all.join();
  }

  @Test
  void timersRunWhenTheyAreDue() {
    assertEquals(
        List.of("a", "b"),
        ran(
            timers -> {
              timers.once("b", SECOND, () -> ran.add("b"));
              timers.once("a", FIRST, () -> ran.add("a"));
            }));
  }

  @Test
  void theSameKeyAndAStopEndATimer() {
    assertEquals(
        List.of("another"),
        ran(
            timers -> {
              timers.once("a", FIRST, () -> ran.add("one"));
              timers.once("a", SECOND, () -> ran.add("another"));
              timers.once("b", FIRST, () -> ran.add("stopped"));
              timers.stop("b");
              timers.stop("no such");
            }));
  }

  /** It is a message to an actor, which handles others before. */
  @Test
  void whatWasToldIsNotRunOnceItsTimerIsStopped() {
    CompletableFuture<List<String>> all = new CompletableFuture<>();
    loop.execute(
        () -> {
          List<ConnectionTimers.Due> told = new ArrayList<>();
          ConnectionTimers timers = new ConnectionTimers(loop, told::add);
          timers.once("a", FIRST, () -> ran.add("stopped"));
          timers.once("b", FIRST, () -> ran.add("replaced"));
          timers.once("c", FIRST, () -> ran.add("c"));
          loop.schedule(
              LAST,
              () -> {
                timers.stop("a");
                timers.once("b", FIRST, () -> ran.add("never told"));
                told.forEach(timers::run);
                told.forEach(timers::run); // the second time nothing is due
                ran.add(told.size() + " told");
                all.complete(ran);
              });
        });
    assertEquals(List.of("c", "3 told"), all.join());
  }

  /** Until the connection ends: its loop keeps nothing of it. */
  @Test
  void repeatedTimersRunUntilTheEnd() {
    assertEquals(
        List.of("1", "2", "3"),
        ran(
            timers ->
                timers.every(
                    FIRST,
                    () -> {
                      ran.add(String.valueOf(ran.size() + 1));
                      if (ran.size() == 3) {
                        timers.end();
                      }
                    })));
  }
}
