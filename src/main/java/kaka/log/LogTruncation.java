package kaka.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Cuts a closed log so that it ends before an offset, for an operator who gives up what is after it. What is cut stays beside
 * the log in {@code .cut} files, but for zeros that were written ahead of the end.
 *
 * <p>Each step is durable before the next: what a clean stop left goes, for it tells of the old end; the progress of compaction goes, for what is written from now on must not pass for
 * compacted; the recovery point goes back to the new end; the segments after it are renamed, the newest first; the rest of the
 * segment that becomes the newest is copied aside, then cut; the log's start, if it was above the new end, goes back to that.
 * A crash leaves a log that opens with more than was asked for, or not yet; the same call then goes on.
 */
public final class LogTruncation {
  private final Disk disk;
  private final LogFiles files;
  private final List<Path> kept = new ArrayList<>();
  private long cutBytes;

  private LogTruncation(Disk disk, LogFiles files) {
    this.disk = disk;
    this.files = files;
  }

  /**
   * @param nextOffset where the log ends now
   * @param cutBytes taken off
   * @param kept where they are
   */
  public record Result(long nextOffset, long cutBytes, List<Path> kept) {
    public Result {
      kept = List.copyOf(kept);
    }
  }

  /**
   * What {@link #truncate} would cut, in bytes; checks what it would check.
   */
  public static long bytesAfter(Disk disk, Path directory, long toOffset) throws IOException {
    LogTruncation truncation = new LogTruncation(disk, new LogFiles(directory));
    Cut cut = truncation.find(toOffset);
    long bytes = cut.zerosFrom - cut.position;
    for (long base : cut.later) {
      bytes += truncation.sizeOf(truncation.logOf(base));
    }
    return bytes;
  }

  /**
   * The producers whose transactions are open in what is below {@code toOffset}: what comes behind them will be hidden from readers of
   * what is committed, until they are ended.
   */
  public static List<ActiveProducer> openTransactions(Disk disk, Path directory, long toOffset) throws IOException {
    LogTruncation truncation = new LogTruncation(disk, new LogFiles(directory));
    Cut cut = truncation.find(toOffset);
    ProducerState state = new ProducerState();
    for (long base : truncation.knownFrom(cut, state)) {
      try (DiskFile file = disk.openForReading(truncation.logOf(base))) {
        int end = base == cut.base ? cut.position : (int) file.sizeBytes();
        BatchWalker walk = new BatchWalker(file, 0, end, base, BatchWalker.SCAN_WINDOW_BYTES);
        while (walk.next()) { // damage before is none of this
          walk.addTo(state, 0);
        }
      }
    }
    return state.producers().stream().map(ActiveProducer::of).filter(each -> each.transactionStart().isPresent()).toList();
  }

  /** The segments that must be walked, after the snapshot of the last one, if it is there, is in {@code state}. */
  private List<Long> knownFrom(Cut cut, ProducerState state) throws IOException {
    try {
      ProducerSnapshot.read(disk, files, cut.base, state);
      return List.of(cut.base);
    } catch (IOException e) { // only a hint
      return List.copyOf(segmentBases().headSet(cut.base, true));
    }
  }

  /**
   * @param toOffset the first offset that goes; where a batch starts, or where the intact ones end
   * @throws IllegalArgumentException if no intact batch ends there, or it is below the segment in which the log starts; says what could be asked for
   * @throws LogDamagedException if compaction was interrupted, and what it wrote is damaged
   * @throws IOException if the disk refuses: call again
   */
  public static Result truncate(Disk disk, Path directory, long toOffset) throws IOException {
    LogTruncation truncation = new LogTruncation(disk, new LogFiles(directory));
    truncation.finishCompaction(toOffset);
    truncation.cut(truncation.find(toOffset));
    return new Result(toOffset, truncation.cutBytes, truncation.kept);
  }

  /** A .swap file holds what its segment had, and must not come back over what is cut. */
  private void finishCompaction(long toOffset) throws IOException {
    find(toOffset); // nothing is changed for an offset that is refused
    CompactionSwap.recover(disk, files, LogStartOffset.read(disk, files));
  }

  private Path logOf(long base) throws IOException {
    return disk.exists(files.swap(base)) ? files.swap(base) : files.log(base);
  }

  /**
   * @param zerosFrom where the zeros begin with which the file ends
   * @param later base offsets of the segments that go as a whole, the newest first
   */
  private record Cut(long toOffset, long base, int position, int zerosFrom, int fileBytes, List<Long> later) {}

  private TreeSet<Long> segmentBases() throws IOException {
    TreeSet<Long> bases = new TreeSet<>();
    for (String name : disk.list(files.directory())) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
    }
    for (String name : disk.list(files.directory())) { // before an interrupted compaction is finished
      Optional<Long> swap = LogFiles.parseSwap(name);
      if (swap.isPresent()) {
        bases.subSet(swap.get(), false, CompactionSwap.endOf(disk, files, swap.get()), false).clear();
      }
    }
    return bases;
  }

  private Cut find(long toOffset) throws IOException {
    TreeSet<Long> bases = segmentBases();
    if (bases.isEmpty()) {
      throw new NoSuchFileException(files.directory().toString(), null, "no segment is there");
    }
    long logStartOffset = LogStartOffset.read(disk, files);
    Long startBase = bases.floor(logStartOffset); // records may be deleted up to the middle of a batch, which goes as a whole
    long least = startBase == null ? bases.first() : startBase;
    Long base = bases.floor(toOffset);
    if (toOffset < least || base == null) {
      throw new IllegalArgumentException("offset " + toOffset + " is below the log's first segment, " + least);
    }
    List<Long> later = new ArrayList<>(bases.tailSet(base, false).descendingSet());
    try (DiskFile file = disk.openForReading(logOf(base))) {
      if (file.sizeBytes() > Integer.MAX_VALUE) {
        throw new LogDamagedException(files.log(base), 0, "a segment of " + file.sizeBytes() + " bytes");
      }
      int end = (int) file.sizeBytes();
      BatchWalker walk = new BatchWalker(file, 0, end, base, BatchWalker.SCAN_WINDOW_BYTES);
      while (walk.nextOffset() < toOffset) {
        long before = walk.nextOffset();
        if (!walk.next() || !walk.isIntact()) {
          throw new IllegalArgumentException(
              "offset " + toOffset + " is beyond what is intact: " + files.log(base).getFileName() + " can be read up to offset "
                  + before + (walk.fault().isEmpty() ? ", where it ends" : " (" + walk.fault() + ")"));
        }
        if (walk.nextOffset() > toOffset) {
          throw new IllegalArgumentException(
              "offset " + toOffset + " is inside a batch, which stays or goes as a whole: " + walk.baseOffset() + " or "
                  + walk.nextOffset());
        }
      }
      int position = walk.nextPosition();
      return new Cut(toOffset, base, position, Zeros.startAtEnd(file, position, end), end, later);
    }
  }

  private void cut(Cut cut) throws IOException {
    CleanStop.remove(disk, files);
    if (disk.exists(files.cleanedOffset())) {
      disk.delete(files.cleanedOffset());
      disk.syncDirectory(files.directory());
    }
    writePoint(cut);
    for (long base : cut.later) {
      moveAside(base);
    }
    if (cut.position < cut.fileBytes) {
      cutTail(cut);
    }
    delete(cut.base, LogFiles.SegmentPart::isIndex); // an active segment's are in memory; its producers' snapshot is of what stays
    disk.syncDirectory(files.directory());
    if (cut.toOffset < LogStartOffset.read(disk, files)) { // until then an open refuses it
      LogStartOffset.lower(disk, files, cut.toOffset);
    }
  }

  private void writePoint(Cut cut) throws IOException {
    try (RecoveryPointFile point = RecoveryPointFile.open(disk, files)) {
      point.write(new RecoveryPoint(cut.base, cut.position, cut.toOffset));
      point.sync();
    }
    disk.syncDirectory(files.directory());
  }

  private void moveAside(long base) throws IOException {
    cutBytes += sizeOf(files.log(base));
    int attempt = 0;
    while (disk.exists(files.cut(base, 0, attempt))) {
      attempt++;
    }
    Path aside = files.cut(base, 0, attempt);
    disk.move(files.log(base), aside);
    delete(base, part -> !part.isLog());
    disk.syncDirectory(files.directory());
    kept.add(aside);
  }

  private void cutTail(Cut cut) throws IOException {
    Path log = files.log(cut.base);
    try (DiskFile file = disk.openForWriting(log)) {
      if (cut.position < cut.zerosFrom) {
        kept.add(new CutFile(disk, files, cut.base).keep(file, cut.position, cut.zerosFrom));
        disk.syncDirectory(files.directory());
      }
      file.truncate(cut.position);
      file.sync();
    }
    cutBytes += cut.zerosFrom - cut.position;
  }

  private void delete(long base, Predicate<LogFiles.SegmentPart> which) throws IOException {
    for (String name : disk.list(files.directory())) {
      if (LogFiles.parse(name).filter(part -> part.baseOffset() == base).filter(which).isPresent()) {
        disk.delete(files.directory().resolve(name));
      }
    }
  }

  /** Without the zeros at its end. */
  private long sizeOf(Path log) throws IOException {
    try (DiskFile file = disk.openForReading(log)) {
      return Zeros.startAtEnd(file, 0, (int) Math.min(file.sizeBytes(), Integer.MAX_VALUE));
    }
  }
}
