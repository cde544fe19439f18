package kaka.broker;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.AskPattern;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import kaka.config.KakaConfig;
import kaka.group.GroupCoordinator;
import kaka.log.Advice;
import kaka.log.BoundedDisk;
import kaka.log.DataDirectory;
import kaka.log.DescriptorBudget;
import kaka.log.Disk;
import kaka.log.InternalLog;
import kaka.log.MemoryDisk;
import kaka.log.OngoingTransactions;
import kaka.log.ProducerIds;
import kaka.log.RealDisk;
import kaka.metrics.BrokerMetrics;
import kaka.partition.CompactionShare;
import kaka.partition.MemoryBudget;
import kaka.connection.ConnectionCounts;
import kaka.connection.ConnectionServices;
import kaka.connection.RunBuffers;
import kaka.connection.ServerConfig;
import kaka.console.AdminServer;
import kaka.console.BrokerFacts;
import kaka.console.Lifecycle;
import kaka.connection.SliceSizes;
import kaka.kafka.KafkaDoor;
import kaka.partition.PartitionSettings;
import kaka.server.NativeDoor;
import kaka.quota.Quotas;
import kaka.topic.Routes;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicStorage;
import kaka.transaction.TransactionCoordinator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.ExecutionContext;

/**
 * One running broker. Start: the data directory's lock, the registry's log, every partition, the listener. Stop, through
 * Akka's CoordinatedShutdown, in reverse: connections answer what they were asked, logs are synced and closed, the lock is let
 * go. Several can run in one JVM.
 */
public final class Broker {
  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

  /** Where the in-memory disk has its files; nothing of that name is looked for anywhere else. */
  private static final Path IN_MEMORY = Path.of("/kaka");

  private final ActorSystem<Guardian.Command> system;
  private final MemoryBudget memory;
  private final RunBuffers buffers;
  private final ConnectionCounts counts;
  private final CompletionStage<Done> terminated;
  private final StartReport report;

  private Broker(
      ActorSystem<Guardian.Command> system,
      MemoryBudget memory,
      RunBuffers buffers,
      ConnectionCounts counts,
      CompletionStage<Done> terminated,
      StartReport report) {
    this.system = system;
    this.memory = memory;
    this.buffers = buffers;
    this.counts = counts;
    this.terminated = terminated;
    this.report = report;
  }

  /**
   * Starts a broker and returns when it listens.
   *
   * @throws BrokerStartException in one line why it cannot; everything opened is closed again
   */
  public static Broker start(KakaConfig config) throws BrokerStartException {
    return start(config, diskOf(config));
  }

  /** In memory, half of the heap is its capacity: a full one is refused as a full disk is, before the heap is. */
  static Disk diskOf(KakaConfig config) {
    return config.dir().isEmpty()
        ? new MemoryDisk(Clock.systemUTC(), Runtime.getRuntime().maxMemory() / 2 + config.log().minFreeBytes())
        : new RealDisk();
  }

  /** As {@link #start(KakaConfig)}, on another disk: for one that can be made to fail. */
  static Broker start(KakaConfig config, Disk disk) throws BrokerStartException {
    return start(config, disk, Descriptors.share(config.server().maxConnections()));
  }

  private static Broker start(KakaConfig config, Disk anyDisk, Descriptors share) throws BrokerStartException {
    if (share.connections() < config.server().maxConnections()) {
      LOG.warn("fewer connections than configured, the limit of open files is low connections={} configured={} files={}",
          share.connections(), config.server().maxConnections(), share.files());
    }
    DescriptorBudget descriptors = new DescriptorBudget(share.files());
    Disk disk = new BoundedDisk(anyDisk, descriptors);
    Path path = config.dir().isEmpty() ? IN_MEMORY : Path.of(config.dir()).toAbsolutePath().normalize();
    DataDirectory directory;
    try {
      directory = DataDirectory.open(disk, path, InternalLog.TOPICS.directory());
    } catch (IOException e) {
      throw new BrokerStartException(e.getMessage(), e);
    }
    try {
      return start(config, config.server().withMaxConnections(share.connections()), directory, descriptors);
    } catch (BrokerStartException | RuntimeException e) {
      close(directory);
      throw e;
    }
  }

  private static Broker start(
      KakaConfig config, ServerConfig server, DataDirectory directory, DescriptorBudget descriptors)
      throws BrokerStartException {
    MemoryBudget memory = new MemoryBudget(config.memoryMaxBytes());
    SliceSizes slices = new SliceSizes(memory);
    ProducerIds producerIds = producerIds(directory);
    DescriptorGate gate = DescriptorGate.ofProcess(() -> descriptors.maxOpen() - descriptors.openCount());
    Clock clock = Clock.systemUTC();
    ConnectionCounts counts = new ConnectionCounts(System::nanoTime);
    Quotas quotas = new Quotas(config.quotas(), System::nanoTime);
    BrokerMetrics metrics = new BrokerMetrics();
    CompactionShare compaction = new CompactionShare(config.compaction());
    Lifecycle lifecycle = new Lifecycle();
    Routes routes = new Routes();
    OngoingTransactions ongoing = new OngoingTransactions();
    Groups groups =
        new Groups(
            new GroupCoordinator.Storage(directory.disk(), directory.path(), config.log(), clock, System::nanoTime),
            config.groups(),
            memory,
            routes,
            ongoing);
    Transactions transactions =
        new Transactions(
            new TransactionCoordinator.Storage(
                directory.disk(), directory.path(), config.log(), clock, System::nanoTime, producerIds),
            config.transactions(),
            routes,
            groups.handle(),
            ongoing);
    Behavior<TopicRegistry.Command> topics;
    try {
      topics =
          TopicRegistry.create(
              new TopicStorage(
                  directory.disk(),
                  directory.path(),
                  config.log(),
                  new PartitionSettings(
                      config.log().fsyncInterval(),
                      config.retentionCheckInterval(),
                      compaction,
                      ongoing,
                      metrics.storage()),
                  clock,
                  descriptors),
              config.topics(),
              routes);
    } catch (IOException e) {
      throw new BrokerStartException("the log of topics cannot be read: " + Advice.reasonOf(e), e);
    }
    BrokerFacts facts =
        new BrokerFacts(
            Version.current(),
            clock.millis(),
            durability(config),
            lifecycle,
            metrics,
            routes,
            groups.handle(),
            transactions.handle()::problem,
            memory,
            compaction,
            descriptors,
            directory,
            config.log().minFreeBytes(),
            server.maxConnections(),
            counts::byLimit,
            counts.open(),
            server.windowRequests(),
            server.windowBytes(),
            config.log(),
            config.inForce(),
            quotas,
            new MoreMetrics(transactions.handle(), quotas, clock));
    CompletableFuture<StartReport> started = new CompletableFuture<>();
    ActorSystem<Guardian.Command> system =
        ActorSystem.create(
            Guardian.create(
                topics,
                groups,
                transactions,
                (registry, fetchIo, checks) ->
                    new ConnectionServices(
                        server,
                        new NativeDoor(),
                        new KafkaDoor(config.kafka(), directory.path().toString()),
                        config.log(),
                        routes,
                        registry,
                        groups.handle(),
                        transactions.handle(),
                        memory,
                        slices,
                        counts,
                        quotas,
                        metrics,
                        gate,
                        producerIds,
                        fetchIo,
                        checks.counted(metrics.checks()),
                        clock,
                        directory.brokerId(),
                        Version.current()),
                config.admin().isOff()
                    ? Optional.empty()
                    : Optional.of((registry, replyTo) -> AdminServer.create(config.admin(), facts, registry, replyTo)),
                lifecycle,
                started),
            "kaka",
            config.akka());
    registerShutdown(system, config);
    CompletableFuture<Done> terminated = new CompletableFuture<>();
    // On the thread that ends the system: the Java view of its future would wait for the JVM's common pool, whose one or two
    // threads may be anybody's.
    system
        .whenTerminated()
        .onComplete(
            done -> {
              close(directory);
              return terminated.complete(Done.getInstance());
            },
            ExecutionContext.fromExecutor(Runnable::run));
    try {
      return new Broker(system, memory, slices.buffers(), counts, terminated, started.join());
    } catch (CompletionException e) {
      system.terminate();
      terminated.join();
      throw new BrokerStartException(e.getCause().getMessage(), e.getCause());
    }
  }

  /** What an ack means, in one word: {@code memory}, {@code every-ack} or {@code interval=1s}. */
  public static String durability(KakaConfig config) {
    if (config.dir().isEmpty()) {
      return "memory";
    }
    Duration interval = config.log().fsyncInterval();
    return interval.isZero() ? "every-ack" : "interval=" + shortest(interval);
  }

  /** {@code 1s}, {@code 250ms}: the largest unit that is exact, down to milliseconds. */
  public static String shortest(Duration duration) {
    long ms = duration.toMillis();
    return ms % 1000 == 0 ? ms / 1000 + "s" : ms + "ms";
  }

  private static ProducerIds producerIds(DataDirectory directory) throws BrokerStartException {
    try {
      return ProducerIds.open(directory.disk(), directory.path());
    } catch (IOException e) {
      throw new BrokerStartException("the producer ids cannot be read: " + Advice.reasonOf(e), e);
    }
  }

  private static void registerShutdown(ActorSystem<Guardian.Command> system, KakaConfig config) {
    CoordinatedShutdown shutdown = CoordinatedShutdown.get(system);
    shutdown.addTask(
        CoordinatedShutdown.PhaseServiceRequestsDone(), "drain-connections", () -> ask(system, config, Guardian.Drain::new));
    shutdown.addTask(
        CoordinatedShutdown.PhaseBeforeActorSystemTerminate(), "close-logs", () -> ask(system, config, Guardian.CloseTopics::new));
  }

  private static CompletionStage<Done> ask(
      ActorSystem<Guardian.Command> system,
      KakaConfig config,
      akka.japi.function.Function<ActorRef<Done>, Guardian.Command> command) {
    return AskPattern.ask(system, command, config.shutdownTimeout(), system.scheduler());
  }

  private static void close(DataDirectory directory) {
    try {
      directory.close();
    } catch (IOException e) {
      // The lock goes with the process; there is nobody to tell who could do anything about it.
      LOG.warn("data directory not released cause={}", e.toString());
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return report.address();
  }

  public StartReport report() {
    return report;
  }

  /** What is held between sockets and disk. */
  public MemoryBudget memory() {
    return memory;
  }

  /** What large answers are read into, and written from. */
  public RunBuffers buffers() {
    return buffers;
  }

  /** What limits did to connections. */
  public ConnectionCounts connectionCounts() {
    return counts;
  }

  /** Where the admin server listens, if there is one. */
  public Optional<InetSocketAddress> adminAddress() {
    return report.admin();
  }

  ActorSystem<?> system() {
    return system;
  }

  /** Stops it, as SIGTERM does; completed when everything is closed. Calling it again changes nothing. */
  public CompletionStage<Done> stop() {
    CoordinatedShutdown.get(system).runAll(CoordinatedShutdown.unknownReason());
    return whenTerminated();
  }

  /** Completed when the broker has stopped, whoever stopped it, and its directory is free. */
  public CompletionStage<Done> whenTerminated() {
    return terminated;
  }
}
