package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Looks at everything in one partition's directory and changes nothing: the small files, every batch's CRC, that batches and
 * segments follow on each other, the indexes against the log, the newest segment against the recovery point. No broker may
 * have the directory meanwhile.
 */
public final class PartitionCheck {
  private final Disk disk;
  private final LogFiles files;
  private final LongConsumer progress;
  private final List<Finding> findings = new ArrayList<>();
  private final TreeSet<Long> aborted = new TreeSet<>(); // base offsets of the segments that have an index of aborted transactions
  private boolean hasTransactions; // up to where it has come
  private long checkedBytes;
  private int segmentCount;

  private PartitionCheck(Disk disk, Path directory, LongConsumer progress) {
    this.disk = disk;
    this.files = new LogFiles(directory);
    this.progress = progress;
  }

  /** @param checkedBytes of log, all of them read */
  public record Result(List<Finding> findings, int segmentCount, long checkedBytes) {
    public Result {
      findings = List.copyOf(findings);
    }
  }

  /**
   * @param expectedTopicId whose the directory must be, if that is known
   * @param progress told how many bytes more were checked
   */
  public static Result run(Disk disk, Path directory, Optional<UUID> expectedTopicId, LongConsumer progress)
      throws IOException {
    PartitionCheck check = new PartitionCheck(disk, directory, progress);
    check.run(expectedTopicId);
    return new Result(check.findings, check.segmentCount, check.checkedBytes);
  }

  /** Whether {@code directory} is a partition's, or was one. */
  public static boolean isPartition(Disk disk, Path directory) throws IOException {
    return disk.isDirectory(directory)
        && disk.list(directory).stream().anyMatch(name -> LogFiles.isPartOfLog(directory.resolve(name)));
  }

  /** Bytes of all segments, to measure progress by. */
  public static long logBytes(Disk disk, Path directory) throws IOException {
    long bytes = 0;
    for (String name : disk.list(directory)) {
      if (LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).isPresent()) {
        try (DiskFile file = disk.openForReading(directory.resolve(name))) {
          bytes += file.sizeBytes();
        }
      }
    }
    return bytes;
  }

  private void run(Optional<UUID> expectedTopicId) throws IOException {
    checkMetadata(expectedTopicId);
    TreeSet<Long> bases = new TreeSet<>();
    TreeSet<Long> swaps = new TreeSet<>();
    for (String name : disk.list(files.directory())) {
      LogFiles.parseSwap(name).ifPresent(swaps::add);
      if (LogFiles.isCleaned(name)) {
        findings.add(
            Finding.note(files.directory().resolve(name), "what compaction had not finished: the next start deletes it"));
      }
      Optional<LogFiles.SegmentPart> part = LogFiles.parse(name);
      part.filter(LogFiles.SegmentPart::isLog).ifPresent(log -> bases.add(log.baseOffset()));
      part.filter(LogFiles.SegmentPart::isSnapshot).ifPresent(snapshot -> checkSnapshot(snapshot.baseOffset()));
      part.filter(LogFiles.SegmentPart::isAbortedIndex).ifPresent(index -> aborted.add(index.baseOffset()));
      if (LogFiles.isTemporary(name)) {
        findings.add(Finding.note(files.directory().resolve(name), "left by a write that was cut short, and never read: the next start deletes it"));
      } else if (part.isEmpty() && !LogFiles.isPartOfLog(files.directory().resolve(name))) {
        boolean isCut = name.endsWith(".cut");
        findings.add(
            Finding.note(
                files.directory().resolve(name), isCut ? "bytes that were cut off and kept" : "not a file of the log's, left alone"));
      }
    }
    aborted.forEach(this::checkAborted);
    if (bases.isEmpty()) {
      damage(files.directory(), 0, "no segment, though the log was created", Advice.forLog(files.directory()));
      return;
    }
    Set<Long> swapped = checkSwaps(swaps, bases);
    long logStartOffset = checkStart(bases.first());
    for (long base : bases) {
      segmentCount++;
      Long next = bases.higher(base);
      if (swapped.contains(base)) {
        continue; // was read
      }
      if (next == null) {
        checkNewest(base, logStartOffset);
      } else if (next <= logStartOffset) {
        findings.add(Finding.note(files.log(base), "a segment below the log's start: the next start deletes it"));
      } else {
        checkSealed(base, next);
      }
    }
  }

  /**
   * Compacted segments that were about to take their place: those that will are put into {@code bases} as they will be.
   *
   * @return their base offsets
   */
  private Set<Long> checkSwaps(Set<Long> swaps, TreeSet<Long> bases) throws IOException {
    Set<Long> taken = new TreeSet<>();
    for (long base : swaps) {
      try {
        long next = CompactionSwap.endOf(disk, files, base);
        if (next <= LogStartOffset.read(disk, files)) {
          findings.add(Finding.note(files.swap(base), "a compacted segment below the log's start: the next start deletes it"));
        } else if (bases.contains(next)) {
          bases.subSet(base, next).clear();
          bases.add(base);
          taken.add(base);
          findings.add(
              Finding.note(
                  files.swap(base),
                  "a compacted segment, whole: the next start puts it in the place of those before offset " + next));
        } else {
          damage(
              files.swap(base),
              0,
              "stands for the offsets before " + next + ", where no segment starts",
              Advice.forLog(files.swap(base)));
        }
      } catch (LogDamagedException e) {
        findings.add(Finding.of(e));
      }
    }
    return taken;
  }

  private void checkMetadata(Optional<UUID> expectedTopicId) throws IOException {
    if (!disk.exists(files.metadata())) {
      String advice =
          expectedTopicId
              .map(id -> Advice.forText(files.metadata(), "the records beside it are this topic's", PartitionMetadata.content(id)))
              .orElseGet(() -> Advice.forLog(files.metadata()));
      damage(files.metadata(), 0, "missing, so nobody knows whose the directory is", advice);
      return;
    }
    try {
      if (expectedTopicId.isPresent()) {
        PartitionMetadata.check(disk, files, expectedTopicId.get());
      } else {
        PartitionMetadata.read(disk, files);
      }
    } catch (LogDamagedException e) {
      findings.add(Finding.of(e));
    }
  }

  private void checkSnapshot(long base) {
    try {
      ProducerSnapshot.read(disk, files, base, new ProducerState());
    } catch (IOException e) {
      findings.add(
          new Finding(
              Finding.Level.FAULT,
              files.snapshot(base),
              0,
              e.getMessage() + ": no record is affected, but a batch sent twice from before offset " + base + " may not be noticed",
              "Delete it: the next start goes on with an older one, or with none, and says so"));
    }
  }

  private void checkAborted(long base) {
    try {
      AbortedIndex.read(disk, files, base, Long.MAX_VALUE);
    } catch (IOException e) {
      findings.add(
          new Finding(
              Finding.Level.FAULT,
              files.abortedIndex(base),
              0,
              "not an index of aborted transactions: " + e.getMessage(),
              "No record is affected; the next start writes it anew"));
    }
  }

  /** From the log's first transaction on, every sealed segment has one. */
  private void requireAborted(long base) {
    hasTransactions |= aborted.contains(base);
    if (hasTransactions && !aborted.contains(base)) {
      findings.add(
          new Finding(
              Finding.Level.FAULT,
              files.abortedIndex(base),
              0,
              "missing, though the log has transactions",
              "No record is affected; the next start writes it anew"));
    }
  }

  /** @return the log's start; 0 if that cannot be read */
  private long checkStart(long firstBase) throws IOException {
    try {
      long logStartOffset = LogStartOffset.read(disk, files);
      if (disk.exists(files.logStartOffset()) && !LogStartOffset.isIntact(disk, files)) {
        findings.add(
            new Finding(
                Finding.Level.FAULT,
                files.logStartOffset(),
                0,
                "not as it was written: a crash tore a slot of it, or it is damaged; what can be read says " + logStartOffset,
                "If no damage is named below, nothing need be done: the next deletion by retention writes over it"));
      }
      if (firstBase > logStartOffset) {
        damage(
            files.log(firstBase),
            0,
            "the first segment, but by log-start-offset the log starts at offset " + logStartOffset
                + ": one is missing, or that file is damaged",
            LogStartOffset.advice(disk, files));
      }
      return logStartOffset;
    } catch (LogDamagedException e) {
      findings.add(Finding.of(e));
      return 0;
    }
  }

  private void checkSealed(long base, long next) throws IOException {
    Path log = files.log(base);
    List<Finding> ofIndexes = new ArrayList<>();
    try (SegmentScan scan = SegmentScan.open(disk, log, base);
        IndexCheck indexes = new IndexCheck(disk, files, base, ofIndexes)) {
      long end = base;
      boolean whole = true;
      for (Optional<SegmentScan.Piece> piece = scan.next(); piece.isPresent(); piece = scan.next()) {
        checked(piece.get().sizeBytes());
        if (piece.get() instanceof SegmentScan.Whole batch) {
          indexes.batch(batch);
          hasTransactions |= batch.isTransactional();
          end = batch.lastOffset() + 1;
        } else if (piece.get() instanceof SegmentScan.Damaged damaged) {
          whole = false;
          damage(damaged, log, end, OptionalLong.of(next));
        } else if (piece.get() instanceof SegmentScan.Zeroed zeros) {
          whole = false;
          damage(log, zeros.position(), zeros.sizeBytes() + " zeros at its end, though it is sealed", Advice.forLog(log, end));
        }
      }
      if (whole && end != next) {
        damage(
            log,
            scan.sizeBytes(),
            "ends before offset " + end + ", but the next segment starts at " + next + ": records are missing",
            Advice.forLog(log, end));
      } else if (whole) {
        indexes.end();
      }
      if (whole) { // an index is judged by its log, so a damaged one cannot say
        findings.addAll(ofIndexes);
        requireAborted(base);
      }
    } catch (LogDamagedException e) {
      findings.add(Finding.of(e));
    }
  }

  private void checkNewest(long base, long logStartOffset) throws IOException {
    Path log = files.log(base);
    Optional<RecoveryPoint> point = RecoveryPointFile.read(disk, files);
    if (point.isEmpty()) {
      findings.add(
          new Finding(
              Finding.Level.FAULT,
              files.recoveryPoint(),
              0,
              "missing or damaged: a torn tail of the newest segment could not be told from damage",
              "If the newest segment is intact, the next start writes it anew; if not, it does not open, see below"));
    }
    checkCleanStop(base, point);
    int pointPosition = point.filter(p -> p.baseOffset() == base).map(RecoveryPoint::position).orElse(0);
    try (SegmentScan scan = SegmentScan.open(disk, log, base)) {
      long end = base;
      int intactBytes = 0;
      OptionalLong offsetAtPoint = pointPosition == 0 ? OptionalLong.of(base) : OptionalLong.empty();
      Optional<SegmentScan.Piece> piece = scan.next();
      while (piece.isPresent() && piece.get() instanceof SegmentScan.Whole batch) {
        checked(batch.sizeBytes());
        end = batch.lastOffset() + 1;
        intactBytes += batch.sizeBytes();
        if (intactBytes == pointPosition) {
          offsetAtPoint = OptionalLong.of(end);
        }
        piece = scan.next();
      }
      Optional<SegmentScan.Damaged> bad =
          piece.filter(SegmentScan.Damaged.class::isInstance).map(SegmentScan.Damaged.class::cast);
      int zerosFrom = scan.zerosFrom(intactBytes);
      String fault = piece.isEmpty() ? "" : bad.map(SegmentScan.Damaged::fault).orElse("zeros instead of a batch");
      TailDecision.Verdict verdict =
          TailDecision.decide(
              point,
              base,
              new TailDecision.Scan(scan.sizeBytes(), intactBytes, zerosFrom, fault, offsetAtPoint));
      checked(scan.sizeBytes() - intactBytes);
      if (verdict instanceof TailDecision.Damaged damaged) {
        String what = damaged.reason() + bad.map(b -> after(b, OptionalLong.empty())).orElse("");
        damage(log, damaged.position(), what, Advice.forLog(log, end));
      } else if (end < logStartOffset) {
        damage(log, intactBytes, LogStartOffset.endsBelow(end, logStartOffset), Advice.forLog(log, end));
      } else if (verdict instanceof TailDecision.Torn) {
        String what =
            (zerosFrom - intactBytes) + " bytes after the last record at offset " + (end - 1)
                + " that no acknowledgement covers: the next start keeps them aside and cuts them";
        findings.add(new Finding(Finding.Level.NOTE, log, intactBytes, what, ""));
      }
    } catch (LogDamagedException e) {
      findings.add(Finding.of(e));
    }
  }

  private void checkCleanStop(long base, Optional<RecoveryPoint> point) throws IOException {
    Path log = files.log(base);
    try (DiskFile file = disk.openForReading(log)) {
      int fileBytes = (int) Math.min(file.sizeBytes(), Integer.MAX_VALUE);
      Optional<CleanStop> stop = CleanStop.read(disk, files, fileBytes, 1);
      if (stop.isPresent()
          && !(TailDecision.isCleanStop(stop.get(), point, base, fileBytes) && stop.get().hasLastBatchOf(file))) {
        findings.add(
            Finding.note(
                files.cleanStop(), "of another stop, or another log: the next start reads the newest segment, and deletes it"));
      }
    } catch (IOException e) {
      findings.add(
          new Finding(
              Finding.Level.FAULT,
              files.cleanStop(),
              0,
              e.getMessage() + ": no record is affected, but the next start cannot spare itself reading the newest segment",
              "Nothing need be done: the next start deletes it"));
    }
  }

  private void damage(SegmentScan.Damaged damaged, Path log, long intactEnd, OptionalLong end) {
    String what = damaged.fault() + ": " + damaged.sizeBytes() + " bytes cannot be read" + after(damaged, end);
    damage(log, damaged.position(), what, Advice.forLog(log, intactEnd));
  }

  /** Which offsets that concerns. */
  private static String after(SegmentScan.Damaged damaged, OptionalLong end) {
    OptionalLong next = damaged.nextOffset().isPresent() ? damaged.nextOffset() : end;
    if (damaged.firstOffset().isEmpty()) {
      return "";
    }
    long first = damaged.firstOffset().getAsLong();
    return next.isEmpty()
        ? ", offsets from " + first + " on"
        : ", offsets " + first + " to " + (next.getAsLong() - 1) + "; the log goes on at " + next.getAsLong();
  }

  private void damage(Path file, long position, String what, String advice) {
    findings.add(new Finding(Finding.Level.DAMAGE, file, position, what, advice));
  }

  private void checked(int bytes) {
    checkedBytes += bytes;
    progress.accept(bytes);
  }
}
