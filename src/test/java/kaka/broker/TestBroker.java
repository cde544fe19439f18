package kaka.broker;

import akka.actor.ExtendedActorSystem;
import akka.actor.InternalActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import kaka.config.KakaConfig;
import kaka.connection.ConnectionCounts;
import kaka.log.Disk;
import kaka.partition.MemoryBudget;

/** A broker for tests of what is above it: any disk, a look at what it holds, and a stop that waits. */
public final class TestBroker implements AutoCloseable {
  private static final long PATIENCE_NS = 120_000_000_000L;

  /** Longer than anybody waits for what it must not hold up: it would look as if that had come by itself. */
  private static final long OCCUPATION_NS = 10 * PATIENCE_NS;

  private final Broker broker;

  private TestBroker(Broker broker) {
    this.broker = broker;
  }

  /** @param hocon on top of a free port and no directory: everything in memory */
  public static TestBroker start(String hocon) throws Exception {
    return new TestBroker(Broker.start(config(hocon)));
  }

  public static TestBroker start(String hocon, Disk disk) throws Exception {
    return new TestBroker(Broker.start(config(hocon), disk));
  }

  private static KakaConfig config(String hocon) throws Exception {
    return KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0\nkaka.log.dir = \"\"\n" + hocon);
  }

  public InetSocketAddress address() {
    return broker.address();
  }

  /** Of its admin server, which is off unless asked for. */
  public Optional<InetSocketAddress> adminAddress() {
    return broker.adminAddress();
  }

  public MemoryBudget memory() {
    return broker.memory();
  }

  public ConnectionCounts connectionCounts() {
    return broker.connectionCounts();
  }

  /** All actors there are, streams and sockets included. */
  public long actorCount() {
    return actorTree().lines().count();
  }

  /** A line for each. */
  public String actorTree() {
    return ((ExtendedActorSystem) Adapter.toClassic(broker.system())).printTree();
  }

  /**
   * Ends one of the broker's actors as a bug in it would: after what it is doing, whatever waits in its mailbox.
   *
   * @param name as the guardian has it
   */
  public void kill(String name) {
    ExtendedActorSystem system = (ExtendedActorSystem) Adapter.toClassic(broker.system());
    ((InternalActorRef) system.provider().resolveActorRef(system.child(name))).stop();
  }

  /** Work that keeps every thread of a dispatcher until it is closed: what is given to it meanwhile waits. */
  public static final class Occupation implements AutoCloseable {
    private final CountDownLatch over = new CountDownLatch(1);

    private Occupation(Executor dispatcher, int threads) {
      CountDownLatch begun = new CountDownLatch(threads);
      for (int i = 0; i < threads; i++) {
        dispatcher.execute(
            () -> {
              begun.countDown();
              await(over);
            });
      }
      await(begun);
    }

    private static void await(CountDownLatch latch) {
      try {
        if (!latch.await(OCCUPATION_NS, TimeUnit.NANOSECONDS)) {
          throw new AssertionError("still occupied");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      over.countDown();
    }
  }

  /** @param threads that the dispatcher has */
  public Occupation occupy(String dispatcher, int threads) {
    return new Occupation(broker.system().dispatchers().lookup(DispatcherSelector.fromConfig(dispatcher)), threads);
  }

  public java.util.concurrent.CompletionStage<akka.Done> stop() {
    return broker.stop();
  }

  /** Returns when {@code what} is so: for what becomes so in another thread without telling. */
  public static void awaitTrue(String message, BooleanSupplier what) {
    long giveUp = System.nanoTime() + PATIENCE_NS;
    while (!what.getAsBoolean()) {
      if (System.nanoTime() - giveUp > 0) {
        throw new AssertionError("not so after 120 s: " + message);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** Returns when nothing is charged any more; everybody has to have left. Nobody has a buffer then: each is charged for. */
  public void awaitBudgetEmpty() {
    awaitBudget(0);
    if (broker.buffers().takenCount() != 0) {
      throw new AssertionError(broker.buffers().takenCount() + " buffers are not given back");
    }
  }

  /** Waits until just so many bytes are charged. */
  public void awaitBudget(long bytes) {
    long giveUp = System.nanoTime() + PATIENCE_NS;
    while (memory().usedBytes() != bytes) {
      if (System.nanoTime() - giveUp > 0) {
        throw new AssertionError(memory().usedBytes() + " bytes are charged, not " + bytes);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() {
    broker.stop().toCompletableFuture().join();
  }
}
