package kaka.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timers, tasks and sockets of the one thread. */
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

  private static SelectorLoop goingOn(BlockingQueue<Throwable> uncaught) throws IOException {
    return SelectorLoop.goingOn(
            run -> {
              Thread thread = new Thread(run, "loop-under-test");
              thread.setDaemon(true);
              thread.setUncaughtExceptionHandler((of, e) -> uncaught.add(e));
              return thread;
            },
            1024)
        .start(() -> {});
  }

  private static Pipe pipe() throws IOException {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    return pipe;
  }

  private static void transfer(Pipe pipe, boolean isWrite) {
    try {
      int count = isWrite ? pipe.sink().write(ByteBuffer.allocate(1)) : pipe.source().read(ByteBuffer.allocate(1));
      assertEquals(1, count);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void register(SelectorLoop loop, Pipe pipe, SelectorLoop.Handler handler) {
    try {
      loop.register(pipe.source(), SelectionKey.OP_READ, handler);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A task that always makes the next one counts how often it runs between a pipe's byte and what is told that it is there. */
  @Test
  void tasksThatMakeTasksLeaveTheThreadToSockets() throws Exception {
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    Pipe pipe = pipe();
    CompletableFuture<Integer> runsMeanwhile = new CompletableFuture<>();
    class Breeding implements Runnable {
      private final SelectorLoop loop;
      private int runs = -1;

      Breeding(SelectorLoop loop) {
        this.loop = loop;
      }

      @Override
      public void run() {
        if (runs++ < 0) {
          register(loop, pipe, key -> runsMeanwhile.complete(runs));
          transfer(pipe, true);
        }
        if (!runsMeanwhile.isDone()) {
          loop.execute(this);
        }
      }
    }
    try (SelectorLoop loop = goingOn(uncaught)) {
      loop.execute(new Breeding(loop));

      assertEquals(0, runsMeanwhile.join(), "it has run once, and the next time after the sockets");
    }
    assertEquals(List.of(), List.copyOf(uncaught));
  }

  /** However many are ready at once: each makes a task, as a message to an actor does, and it is the task that reads. */
  @Test
  void socketIsNotSeenAgainBeforeWhatItCausedHasRun() throws Exception {
    int count = 300;
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    List<Integer> seen = new ArrayList<>(Collections.nCopies(count, 0));
    BlockingQueue<Integer> read = new LinkedBlockingQueue<>();
    List<Pipe> pipes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pipes.add(pipe());
      transfer(pipes.get(i), true);
    }
    try (SelectorLoop loop = goingOn(uncaught)) {
      loop.execute(
          () -> {
            for (int i = 0; i < count; i++) {
              int me = i;
              register(
                  loop,
                  pipes.get(i),
                  key -> {
                    seen.set(me, seen.get(me) + 1);
                    loop.execute(
                        () -> {
                          transfer(pipes.get(me), false);
                          read.add(me);
                        });
                  });
            }
          });
      for (int i = 0; i < count; i++) {
        read.take();
      }
    }
    assertEquals(List.of(), List.copyOf(uncaught));
    assertEquals(Collections.nCopies(count, 1), seen);
    for (Pipe pipe : pipes) {
      pipe.sink().close();
    }
  }

  @Test
  void goingOnLoopOutlivesWhatTasksAndHandlersThrow() throws Exception {
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    Error ofTask = new AssertionError("of a task");
    RuntimeException ofHandler = new IllegalStateException("of a handler");
    try (SelectorLoop loop = goingOn(uncaught)) {
      loop.execute(
          () -> {
            throw ofTask;
          });
      assertSame(ofTask, uncaught.take());

      Pipe pipe = pipe();
      transfer(pipe, true);
      loop.execute(
          () ->
              register(
                  loop,
                  pipe,
                  key -> {
                    transfer(pipe, false);
                    throw ofHandler;
                  }));
      assertSame(ofHandler, uncaught.take());

      CompletableFuture<Void> done = new CompletableFuture<>();
      loop.execute(() -> done.complete(null));
      done.join();
      pipe.sink().close();
    }
  }

  /** Whoever lives there must not be left waiting in silence. */
  @Test
  void goingOnLoopThatCannotWaitForSocketsEndsAndTells() throws Exception {
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    SelectorLoop loop = goingOn(uncaught);
    Pipe pipe = pipe();
    loop.execute(
        () -> {
          try {
            SelectorLoop.closeQuietly(loop.register(pipe.source(), SelectionKey.OP_READ, key -> {}).selector());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });

    assertInstanceOf(InternalError.class, uncaught.take());

    loop.close();
    assertTrue(loop.hasEnded());
    assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
    pipe.sink().close();
  }

  /** Also one that waits behind another which throws. */
  @Test
  void crashingLoopClosesItsSocketsWhateverItsLastTasksDo() throws Exception {
    Pipe pipe = pipe();
    loop.execute(
        () -> {
          register(loop, pipe, key -> {});
          throw new IllegalStateException("first");
        });
    loop.execute(
        () -> {
          throw new IllegalStateException("second");
        });
    loop.start(() -> {});

    loop.close();

    assertEquals("first", loop.crash().getMessage());
    assertTrue(!pipe.source().isOpen());
    pipe.sink().close();
  }
}
