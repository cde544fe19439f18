package kaka.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timers and tasks of the one thread. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SelectorLoopTest {
  private final SelectorLoop loop = loop();

  private static SelectorLoop loop() {
    try {
      return SelectorLoop.crashing("loop-under-test", 1024);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private final class Rearming implements Runnable {
    private volatile boolean isOver;

    @Override
    public void run() {
      if (!isOver) {
        loop.schedule(Duration.ZERO, this);
      }
    }
  }

  /** Else what it waits for, an answer or a task, could never come. */
  @Test
  void timerThatIsDueAgainAtOnceLeavesTheThreadToOthers() {
    Rearming rearming = new Rearming();
    loop.start(() -> {});
    try {
      loop.execute(() -> loop.schedule(Duration.ZERO, rearming));
      for (int i = 0; i < 100; i++) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> done.complete(null));
        done.join();
      }
    } finally {
      rearming.isOver = true;
    }
    loop.close();
  }

  /** The times lie in the past, hours apart: however late this thread is between two calls, their order stays. */
  @Test
  void timersRunInTheOrderOfTheirTimesAndNotOnceCancelled() {
    List<String> ran = new ArrayList<>();
    CompletableFuture<List<String>> all = new CompletableFuture<>();
    loop.start(() -> {});
    loop.execute(
        () -> {
          loop.schedule(Duration.ZERO, () -> all.complete(ran));
          SelectorLoop.Timer cancelledByAnother = loop.schedule(Duration.ofHours(-1), () -> ran.add("cancelled"));
          loop.schedule(Duration.ofHours(-2), cancelledByAnother::cancel);
          loop.schedule(Duration.ofHours(-3), () -> ran.add("second"));
          loop.schedule(Duration.ofHours(-4), () -> ran.add("first"));
        });

    assertEquals(List.of("first", "second"), all.join());
    loop.close();
  }
}
