package kaka.broker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import kaka.group.CopiedOffsets;
import kaka.log.ActiveProducer;
import kaka.log.BackupCounts;
import kaka.log.BackupProgress;
import kaka.log.BackupTarget;
import kaka.log.Disk;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.log.PartitionBackup;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionImport;
import kaka.log.PartitionLog;
import kaka.record.TransactionMarker;
import kaka.topic.CopiedTopics;
import kaka.topic.DirectoryCheck;
import kaka.transaction.CopiedTransactions;
import kaka.transaction.TransactionPartition;

/**
 * Copies a data directory, whose broker may be running and is not asked, so that what was acknowledged before is in the copy, and
 * the copy opens. The order is what makes its parts agree:
 *
 * <pre>
 * 1  which topics there are       what is created later is not in the copy; what is deleted later is deleted in it, too
 * 2  the finished segments        takes long; all that follows takes moments
 * 3  committed offsets            before the records: none is committed that is not there
 * 4  the newest segments          of all partitions
 * 5  transactions                 after the records: no producer's epoch is given twice
 *    3 to 5 again, for what came since, until nothing came to the log of transactions meanwhile, for some seconds at most
 * 6  producer ids                 after all that could hold one: none is given twice
 * </pre>
 *
 * Where no transaction moved during one round, the copy has every transaction whole. Else one that was under way may be
 * committed in one partition and not in another; what is open in the copy and over in its log of transactions is then aborted
 * in the copy, as nobody else would.
 */
public final class DirectoryBackup {
  /** How long to wait for a moment in which no transaction moves; a round takes milliseconds, or seconds with thousands of partitions. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Disk disk;
  private final Path source;
  private final Path copy;
  private final List<Path> earlier;
  private final LogConfig config;
  private final Clock clock;
  private final BackupProgress progress;
  private final ByteBuffer piece = PartitionBackup.newPiece();
  private final CopiedTopics topics;
  private final Map<CopiedTopics.Partition, PartitionBackup> partitions = new LinkedHashMap<>();
  private final Set<UUID> deleted = new HashSet<>();
  private final List<LogDamagedException> damages = new ArrayList<>();
  private Optional<PartitionBackup> offsets = Optional.empty();
  private Optional<PartitionBackup> transactions = Optional.empty();
  private BackupCounts counts = BackupCounts.NONE;

  private DirectoryBackup(
      Disk disk, Path source, Path copy, List<Path> earlier, LogConfig config, Clock clock, BackupProgress progress) {
    this.disk = disk;
    this.source = source;
    this.copy = copy;
    this.earlier = earlier;
    this.config = config;
    this.clock = clock;
    this.progress = progress;
    this.topics = new CopiedTopics(disk, copy, config, clock);
  }

  /**
   * What a backup came to.
   *
   * @param backup its directory, a data directory
   * @param damages partitions of the source that are damaged: they are copied as they are
   * @param isWhole whether every transaction is in it whole
   * @param endedCount how many transactions that were under way were aborted in it
   * @param deleted earlier backups that were not to be kept
   */
  public record Result(
      Path backup,
      int partitionCount,
      BackupCounts counts,
      List<LogDamagedException> damages,
      boolean isWhole,
      int endedCount,
      List<Path> deleted) {
    public Result {
      damages = List.copyOf(damages);
      deleted = List.copyOf(deleted);
    }
  }

  /**
   * Adds a backup of {@code source} to those in {@code target}.
   *
   * @param config for the index of copied segments, and for the broker's own logs in the copy
   * @param keepCount how many backups to keep, the new one included; all are kept if something is damaged
   * @throws IOException if it could not be completed; earlier backups are as they were
   */
  public static Result run(
      Disk disk, Path source, Path target, LogConfig config, int keepCount, Clock clock, BackupProgress progress)
      throws IOException {
    if (!disk.isDirectory(source.resolve(InternalLog.TOPICS.directory()))) {
      throw new IOException(source + " is no data directory of kaka: there is no " + InternalLog.TOPICS.directory());
    }
    try (BackupTarget backups = BackupTarget.open(disk, target)) {
      Path copy = backups.begin(clock.instant());
      DirectoryBackup backup = new DirectoryBackup(disk, source, copy, backups.earlier(), config, clock, progress);
      boolean isWhole = backup.copy();
      int endedCount = backup.complete(isWhole);
      Path complete = backups.complete(copy);
      List<Path> gone = backup.damages.isEmpty() ? backups.keep(keepCount) : List.of();
      int count = backup.partitions.size();
      return new Result(complete, count, backup.counts, backup.damages, isWhole, endedCount, gone);
    }
  }

  /** Bytes of logs there are, to measure progress by. */
  public static long logBytes(Disk disk, Path source) throws IOException {
    return DirectoryCheck.logBytes(disk, source);
  }

  // ---------------------------------------------------------------- 1 to 6

  /** @return whether no transaction moved meanwhile */
  private boolean copy() throws IOException {
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      PartitionBackup.copyFile(disk, source.resolve(name), copy.resolve(name));
    }
    PartitionBackup registry = begin(InternalLog.TOPICS);
    registry.copyTail();
    registry.finish();
    counts = counts.plus(registry.counts());
    begin(topics.partitions());
    copyImports();
    boolean isWhole = copyNewest();
    PartitionBackup.copyFile(disk, source.resolve("producer-ids"), copy.resolve("producer-ids"));
    for (Optional<PartitionBackup> each : List.of(offsets, transactions)) {
      if (each.isPresent()) {
        each.get().finish();
        counts = counts.plus(each.get().counts());
      }
    }
    return isWhole;
  }

  private PartitionBackup begin(InternalLog log) throws IOException {
    return begin(log.directory(), log.id());
  }

  private PartitionBackup begin(String directory, UUID topicId) throws IOException {
    List<Path> same = earlier.stream().map(each -> each.resolve(directory)).toList();
    return PartitionBackup.begin(
        disk, source.resolve(directory), copy.resolve(directory), topicId, same, config.indexIntervalBytes(), progress, piece);
  }

  private void begin(List<CopiedTopics.Partition> all) throws IOException {
    for (CopiedTopics.Partition each : all) {
      if (!each.isCreated() && !each.isIn(disk, source)) {
        continue; // the next open creates it
      }
      attempt(
          each,
          () -> {
            PartitionBackup backup = begin(each.directory(), each.topicId());
            partitions.put(each, backup);
            backup.copySealed();
          });
    }
  }

  /** Of a source whose broker has not started since: its next start puts them into their places, and so does the copy's. */
  private void copyImports() throws IOException {
    for (String name : disk.list(source)) {
      if (PartitionImport.isDirectory(name)) {
        PartitionBackup.copyAsItIs(disk, source.resolve(name), copy.resolve(name), progress, piece);
      }
    }
  }

  private boolean copyNewest() throws IOException {
    offsets = begunIfThere(InternalLog.OFFSETS);
    transactions = begunIfThere(InternalLog.TRANSACTIONS);
    Instant giveUp = clock.instant().plus(PATIENCE);
    while (true) {
      OptionalLong before = copyTransactions();
      if (offsets.isPresent()) {
        offsets.get().copyTail();
      }
      for (CopiedTopics.Partition each : List.copyOf(partitions.keySet())) {
        attempt(each, partitions.get(each)::copyTail);
      }
      boolean isWhole = copyTransactions().equals(before);
      if (isWhole || clock.instant().isAfter(giveUp)) {
        return isWhole;
      }
    }
  }

  /** A broker makes its logs when it starts. */
  private Optional<PartitionBackup> begunIfThere(InternalLog log) throws IOException {
    return PartitionDirectory.isCreated(disk, source.resolve(log.directory())) ? Optional.of(begin(log)) : Optional.empty();
  }

  /**
   * What came to their log by now.
   *
   * @return where the copy ends, which differs after every change of what the log says, as the size of its files does not
   */
  private OptionalLong copyTransactions() throws IOException {
    if (transactions.isEmpty()) {
      return OptionalLong.empty();
    }
    transactions.get().copyTail();
    return OptionalLong.of(transactions.get().nextOffset());
  }

  // ---------------------------------------------------------------- what can become of a partition

  private interface Work {
    void run() throws IOException;
  }

  /** A partition may go with its topic meanwhile, or be damaged; neither keeps the others from being copied. */
  private void attempt(CopiedTopics.Partition partition, Work work) throws IOException {
    if (deleted.contains(partition.topicId())) {
      return;
    }
    try {
      work.run();
      if (partition.isIn(disk, source)) {
        return;
      }
    } catch (LogDamagedException e) {
      if (isThere(partition)) {
        damages.add(e);
        partitions.remove(partition);
        PartitionBackup.copyAsItIs(disk, source.resolve(partition.directory()), copy.resolve(partition.directory()), progress, piece);
        return;
      }
    } catch (NoSuchFileException e) {
      if (isThere(partition)) {
        throw e;
      }
    }
    partitions.remove(partition);
    if (CopiedTopics.isDeleted(disk, source, partition.topicId())) {
      deleted.add(partition.topicId());
    } else { // as the source's own next start will say
      damages.add(new LogDamagedException(source.resolve(partition.directory()), 0, "the directory is missing"));
    }
    PartitionBackup.discard(disk, copy.resolve(partition.directory()));
  }

  private boolean isThere(CopiedTopics.Partition partition) throws IOException {
    return disk.isDirectory(source.resolve(partition.directory()))
        && !CopiedTopics.isDeleted(disk, source, partition.topicId());
  }

  // ---------------------------------------------------------------- the copy, without the source

  /** Makes it durable and its parts agree. @return how many transactions that took */
  private int complete(boolean isWhole) throws IOException {
    for (CopiedTopics.Partition each : List.copyOf(partitions.keySet())) {
      if (deleted.contains(each.topicId())) {
        PartitionBackup.discard(disk, copy.resolve(each.directory()));
        partitions.remove(each);
      } else {
        partitions.get(each).finish();
        counts = counts.plus(partitions.get(each).counts());
      }
    }
    topics.delete(deleted);
    return isWhole ? 0 : endTransactions();
  }

  private int endTransactions() throws IOException {
    CopiedTransactions known = CopiedTransactions.read(disk, copy, config, clock);
    int ended =
        CopiedOffsets.endPending(
            disk, copy, config, clock, producerId -> known.isOver(producerId, TransactionPartition.OFFSETS));
    for (Map.Entry<CopiedTopics.Partition, PartitionBackup> each : partitions.entrySet()) {
      CopiedTopics.Partition partition = each.getKey();
      TransactionPartition part = new TransactionPartition(partition.topicId(), partition.id());
      List<ActiveProducer> over =
          each.getValue().openTransactions().stream()
              .filter(producer -> known.isOver(producer.producerId(), part))
              .toList();
      if (!over.isEmpty()) {
        abort(partition, over);
        ended += over.size();
      }
    }
    return ended;
  }

  private void abort(CopiedTopics.Partition partition, List<ActiveProducer> over) throws IOException {
    try (PartitionLog log =
        PartitionLog.open(disk, copy.resolve(partition.directory()), partition.topicId(), config, clock)) {
      for (ActiveProducer producer : over) {
        log.append(new TransactionMarker(producer.producerId(), producer.epoch(), false, Math.max(0, producer.coordinatorEpoch())));
      }
      log.flush();
    }
  }
}
