package kaka.transaction;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kaka.TestClock;
import kaka.group.GroupHandle;
import kaka.log.CompactionConfig;
import kaka.log.Disk;
import kaka.log.LogConfig;
import kaka.log.LogSnapshot;
import kaka.log.OngoingTransactions;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.log.ProducerIds;
import kaka.partition.CompactionShare;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionSettings;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/** A transaction coordinator and partitions, as a broker would have them on a disk, without anything else. */
final class TransactionWorld {
  static final Duration PATIENCE = Duration.ofSeconds(120);
  static final UUID TOPIC = new UUID(7, 7);
  static final LogConfig LOG = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0);

  private static final Path DATA = Path.of("data");

  final List<PartitionHandle> partitions = new ArrayList<>();
  final OngoingTransactions ongoing = new OngoingTransactions();
  final TestClock timeOfDay = new TestClock(System.currentTimeMillis());
  final TransactionHandle handle = new TransactionHandle(ongoing);
  private final ActorTestKit kit;
  private final Disk disk;
  private final TestProbe<TransactionReply> transactions;
  private final TestProbe<PartitionReply> appends;
  private final List<ActorRef<?>> running = new ArrayList<>();
  private long nextId;

  TransactionWorld(ActorTestKit kit, Disk disk) {
    this.kit = kit;
    this.disk = disk;
    this.transactions = kit.createTestProbe();
    this.appends = kit.createTestProbe();
  }

  /** The data directory, before the first start. */
  static void create(Disk disk) throws IOException {
    disk.createDirectory(DATA);
    disk.syncDirectory(Path.of(""));
  }

  void start(int partitionCount, TransactionConfig config) throws Exception {
    CountDownLatch opened = new CountDownLatch(partitionCount);
    for (int i = 0; i < partitionCount; i++) {
      TopicPartition id = new TopicPartition("orders", i);
      PartitionHandle partition = new PartitionHandle(id);
      CompactionShare share = new CompactionShare(new CompactionConfig(1, 1 << 20, 0));
      ActorRef<PartitionActor.Command> actor =
          kit.spawn(
              PartitionActor.create(
                  partition,
                  () -> open(id),
                  () -> {},
                  new PartitionSettings(Duration.ZERO, Duration.ofDays(1), share, ongoing),
                  opened::countDown));
      partition.bind(actor);
      actor.tell(PartitionActor.Open.INSTANCE);
      running.add(actor);
      partitions.add(partition);
    }
    if (!opened.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("a partition does not open");
    }
    ActorRef<TransactionCoordinator.Command> coordinator =
        kit.spawn(
            TransactionCoordinator.create(
                handle,
                new TransactionCoordinator.Storage(disk, DATA, LOG, timeOfDay, System::nanoTime, ProducerIds.open(disk, DATA)),
                config,
                new Partitions() {
                  @Override
                  public Optional<PartitionHandle> find(TransactionPartition partition) {
                    return partition.topicId().equals(TOPIC)
                        ? Optional.of(partitions.get(partition.partition().partition()))
                        : Optional.empty();
                  }

                  @Override
                  public boolean isComplete() {
                    return true;
                  }
                },
                new GroupHandle()));
    handle.bind(coordinator);
    running.add(coordinator);
  }

  private PartitionLog open(TopicPartition id) throws IOException {
    Path directory = DATA.resolve(id.toString());
    return PartitionDirectory.isCreated(disk, directory)
        ? PartitionLog.open(disk, directory, TOPIC, LOG, Clock.systemUTC())
        : PartitionLog.create(disk, directory, TOPIC, LOG, Clock.systemUTC());
  }

  static TransactionPartition partition(int number) {
    return new TransactionPartition(TOPIC, new TopicPartition("orders", number));
  }

  TransactionResult ask(TransactionRequest request) {
    handle.coordinator().tell(new TransactionCoordinator.Ask(request, () -> {}, nextId, transactions.ref()));
    TransactionReply reply = transactions.receiveMessage(PATIENCE);
    if (reply.correlationId() != nextId) {
      throw new AssertionError("reply to another question: " + reply);
    }
    nextId++;
    return reply.result();
  }

  /** Asks again while the transaction before is being ended; that must not take for ever. */
  TransactionResult askUntilEnded(TransactionRequest request) {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    TransactionResult result = ask(request);
    while (result instanceof TransactionResult.Refused refused && refused.reason() == TransactionError.CONCURRENT) {
      if (System.nanoTime() - giveUp > 0) {
        throw new AssertionError("the transaction before never ends");
      }
      result = ask(request);
    }
    return result;
  }

  PartitionReply append(int partition, RecordBatch batch) {
    partitions
        .get(partition)
        .actor()
        .tell(new PartitionActor.Append(List.of(batch), MemoryCharge.NONE, nextId++, appends.ref()));
    return appends.receiveMessage(PATIENCE);
  }

  LogSnapshot snapshot(int partition) {
    return partitions.get(partition).view().snapshot().orElseThrow();
  }

  /** Ends all of it without a word, as a kill would: nothing is flushed. */
  void kill() {
    running.forEach(kit::stop);
  }

}
