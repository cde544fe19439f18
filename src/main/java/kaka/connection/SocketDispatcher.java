package kaka.connection;

import akka.actor.typed.DispatcherSelector;
import akka.dispatch.Dispatcher;
import akka.dispatch.DispatcherPrerequisites;
import akka.dispatch.ExecutorServiceFactoryProvider;
import akka.dispatch.MessageDispatcher;
import akka.dispatch.MessageDispatcherConfigurator;
import akka.dispatch.MonitorableThreadFactory;
import com.typesafe.config.Config;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import scala.concurrent.duration.Duration;
import scala.concurrent.duration.FiniteDuration;

/**
 * The threads that serve sockets: each is a selector's loop, and an actor that is spawned here stays on one of them, in turn, for
 * its life. So a connection's actor reads and writes its socket itself, on the thread that was told that it can: nothing is handed
 * from thread to thread between the socket and the partition. The loops are there from the first actor to the actor system's end, for
 * one that Akka made anew while an actor begins would leave that actor's socket with the old one. Made from {@code kaka.dispatchers.sockets}: {@code threads}, 0
 * for as many as processors, and {@code buffer-bytes}, what a connection reads ahead at most without asking for memory.
 */
public final class SocketDispatcher extends MessageDispatcherConfigurator {
  static final String NAME = "kaka.dispatchers.sockets";

  /** Where listeners and connections are spawned. */
  public static final DispatcherSelector SELECTOR = DispatcherSelector.fromConfig(NAME);

  private final MessageDispatcher[] loops;
  private final AtomicInteger next = new AtomicInteger();

  /** Called by Akka, which finds this class named in the configuration. */
  public SocketDispatcher(Config config, DispatcherPrerequisites prerequisites) {
    super(config, prerequisites);
    int threads = config.getInt("threads");
    loops = new MessageDispatcher[threads == 0 ? Runtime.getRuntime().availableProcessors() : threads];
    int chunkBytes = config.getInt("buffer-bytes");
    ExecutorServiceFactoryProvider executors =
        (id, factory) -> () -> new LoopExecutor(named(factory, id), chunkBytes);
    FiniteDuration shutdownTimeout = Duration.create(config.getDuration("shutdown-timeout").toMillis(), TimeUnit.MILLISECONDS);
    for (int i = 0; i < loops.length; i++) {
      loops[i] =
          new Dispatcher(this, config.getString("id"), config.getInt("throughput"), Duration.Zero(), executors, shutdownTimeout);
      loops[i].execute(() -> {}); // its selector takes descriptors now, and none when clients come
    }
  }

  /** As Akka's own executors name theirs. */
  private static ThreadFactory named(ThreadFactory threads, String dispatcher) {
    return threads instanceof MonitorableThreadFactory akkas ? akkas.withName(akkas.name() + "-" + dispatcher) : threads;
  }

  /** Akka asks once for each actor. */
  @Override
  public MessageDispatcher dispatcher() {
    return loops[Math.floorMod(next.getAndIncrement(), loops.length)];
  }
}
