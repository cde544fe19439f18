package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.ManualTime;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actors on the threads of selectors, and such a thread as an executor. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketDispatcherTest {
  private static final Config TWO =
      ConfigFactory.parseString("kaka.dispatchers.sockets.threads = 2").withFallback(BrokerThreads.config());

  private record WhereAreYou(ActorRef<Thread> replyTo) {}

  private static Behavior<WhereAreYou> resident() {
    return Behaviors.receive(WhereAreYou.class)
        .onMessage(
            WhereAreYou.class,
            asked -> {
              LoopExecutor.current();
              asked.replyTo().tell(Thread.currentThread());
              return Behaviors.same();
            })
        .build();
  }

  private static Thread threadOf(ActorTestKit testKit, ActorRef<WhereAreYou> actor) {
    TestProbe<Thread> probe = testKit.createTestProbe();
    actor.tell(new WhereAreYou(probe.getRef()));
    return probe.receiveMessage(Duration.ofSeconds(60));
  }

  private static List<ActorRef<WhereAreYou>> spawn(ActorTestKit testKit, int count) {
    List<ActorRef<WhereAreYou>> actors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      actors.add(testKit.spawn(resident(), SocketDispatcher.SELECTOR));
    }
    return actors;
  }

  @Test
  void actorsTakeTheLoopsInTurnAndStayThere() {
    ActorTestKit testKit = ActorTestKit.create(TWO);
    try {
      List<ActorRef<WhereAreYou>> actors = spawn(testKit, 4);
      List<Thread> threads = actors.stream().map(actor -> threadOf(testKit, actor)).toList();

      assertNotEquals(threads.get(0), threads.get(1));
      assertEquals(threads.subList(0, 2), threads.subList(2, 4));
      assertEquals(threads, actors.stream().map(actor -> threadOf(testKit, actor)).toList());
    } finally {
      testKit.shutdownTestKit();
    }
  }

  /** Else a connection that comes just then may register its socket with the loop that ends. */
  @Test
  void loopsOutliveTheirActors() {
    ActorTestKit testKit = ActorTestKit.create(ManualTime.config().withFallback(TWO));
    try {
      ManualTime time = ManualTime.get(testKit.system());
      List<ActorRef<WhereAreYou>> actors = spawn(testKit, 2);
      List<Thread> threads = actors.stream().map(actor -> threadOf(testKit, actor)).toList();

      actors.forEach(testKit::stop);
      time.timePasses(Duration.ofDays(1));

      assertEquals(threads, spawn(testKit, 2).stream().map(actor -> threadOf(testKit, actor)).toList());
      assertTrue(threads.stream().allMatch(Thread::isAlive));
    } finally {
      testKit.shutdownTestKit();
    }
  }

  @Test
  void loopsEndWithTheActorSystem() throws Exception {
    ActorTestKit testKit = ActorTestKit.create(TWO);
    List<Thread> threads = spawn(testKit, 2).stream().map(actor -> threadOf(testKit, actor)).toList();

    testKit.shutdownTestKit();

    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void throwingTaskDoesNotEndTheExecutor() throws Exception {
    BlockingQueue<Throwable> seen = new LinkedBlockingQueue<>();
    LoopExecutor executor = executor(seen);
    Error error = new Error("of a test");

    executor.execute(
        () -> {
          throw error;
        });

    assertSame(error, seen.take());
    assertEquals("ran", executor.submit(() -> "ran").get());
    executor.shutdown();
    assertTrue(executor.awaitTermination(1, TimeUnit.HOURS));
  }

  @Test
  void shutdownRunsWhatWasTakenAndTakesNoMore() throws Exception {
    LoopExecutor executor = executor(new LinkedBlockingQueue<>());
    CompletableFuture<Void> entered = new CompletableFuture<>();
    CompletableFuture<Void> leave = new CompletableFuture<>();
    executor.execute(
        () -> {
          entered.complete(null);
          leave.join();
        });
    entered.join();
    var taken = executor.submit(() -> "ran");

    executor.shutdown();

    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
    assertFalse(executor.isTerminated());
    leave.complete(null);
    assertEquals("ran", taken.get());
    assertTrue(executor.awaitTermination(1, TimeUnit.HOURS));
    assertTrue(executor.isTerminated());
  }

  @Test
  void noLoopIsCurrentOnAnotherThread() {
    assertThrows(IllegalStateException.class, LoopExecutor::current);
  }

  private static LoopExecutor executor(BlockingQueue<Throwable> uncaught) {
    return new LoopExecutor(
        run -> {
          Thread thread = new Thread(run, "loop-under-test");
          thread.setDaemon(true);
          thread.setUncaughtExceptionHandler((of, e) -> uncaught.add(e));
          return thread;
        },
        1024);
  }
}
