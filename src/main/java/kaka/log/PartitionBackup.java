package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Copies a partition's directory, whose owner may be writing to it, rolling, compacting and deleting meanwhile, into a directory
 * that opens like any other. Takes no lock, reads only, and relies on what the owner makes durable before what:
 *
 * <ul>
 *   <li>Segments are copied oldest first, each from where the one before ended, and every batch is checked. A segment that is gone,
 *       or ends elsewhere than where another begins, was compacted or deleted meanwhile: the directory is looked at again, and
 *       what was copied and no longer fits is copied anew. So the chain is always whole, and as compaction drops a record only for
 *       a newer one in a segment that is finished already, and the newest segment is copied last, that newer one is there.
 *   <li>The newest segment is copied to the end of its last intact batch, and {@code recovery-point} is written to say just
 *       that: the copy is synced, so it is neither behind nor ahead.
 *   <li>{@code log-start-offset} is read after the directory was listed, so no segment is missing above it, and before the newest
 *       segment is copied, so the log does not end below it. {@code cleaned-offset} is read first of all, as it may lag, not lead.
 *   <li>A {@code .txnindex} is taken only if it was the same before and after its segment was copied, and no compaction was about to
 *       replace that; else it is left out, and made anew by the next open.
 *   <li>{@code clean-stop} is not copied: it is of the owner's own end.
 * </ul>
 *
 * Everything that was written before {@link #copyTail} was called is in the copy. Has one owner.
 */
public final class PartitionBackup {
  /** Looks at a directory that changes faster than it can be copied, or is damaged and will not change. */
  private static final int MAX_LOOKS = 1000;

  /** The same damage, found so often, is no accident of a file that was being written. */
  private static final int MAX_DOUBTS = 3;

  private final Disk disk;
  private final LogFiles source;
  private final LogFiles target;
  private final List<EarlierCopy> earlier;
  private final int indexIntervalBytes;
  private final BackupProgress progress;
  private final ByteBuffer piece;
  private final Optional<ByteBuffer> cleaned;
  private final long cleanedOffset;
  private final TreeMap<Long, Part> sealed = new TreeMap<>(); // by base offset, without gap
  private Optional<CopiedSegment> open = Optional.empty(); // being copied, the newest or one that was
  private long logStartOffset;
  private String doubt = "";
  private int doubts;

  private PartitionBackup(
      Disk disk, Path source, Path target, List<EarlierCopy> earlier, int indexIntervalBytes, BackupProgress progress, ByteBuffer piece)
      throws IOException {
    this.disk = disk;
    this.source = new LogFiles(source);
    this.target = new LogFiles(target);
    this.earlier = earlier;
    this.indexIntervalBytes = indexIntervalBytes;
    this.progress = progress;
    this.piece = piece;
    this.cleaned = FileCopy.read(disk, this.source.cleanedOffset());
    this.cleanedOffset = cleaned.isPresent() ? CleanedOffset.read(disk, this.source).offset() : 0;
  }

  /**
   * Makes the target, and marks it as the topic's.
   *
   * @param target is not there yet; its parent is
   * @param earlier directories of the same partition in earlier backups, the newest first
   * @param piece from {@link #newPiece}
   * @throws NoSuchFileException if the source is gone
   */
  public static PartitionBackup begin(
      Disk disk,
      Path source,
      Path target,
      UUID topicId,
      List<Path> earlier,
      int indexIntervalBytes,
      BackupProgress progress,
      ByteBuffer piece)
      throws IOException {
    PartitionBackup backup =
        new PartitionBackup(
            disk, source, target, EarlierCopy.of(disk, earlier, topicId), indexIntervalBytes, progress, piece);
    disk.createDirectory(target);
    PartitionMetadata.write(disk, backup.target, topicId);
    return backup;
  }

  /** A buffer that the backups of a directory's partitions, one after the other, share. */
  public static ByteBuffer newPiece() {
    return CopiedSegment.newPiece();
  }

  /** Copies all but the newest segment, which can take long. */
  public void copySealed() throws IOException {
    follow(false);
  }

  /** Copies what there is by now; to be called again for what came since. */
  public void copyTail() throws IOException {
    follow(true);
  }

  private void follow(boolean withNewest) throws IOException {
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
      Seen seen = look();
      resume(seen);
      if (copySealed(seen) && (!withNewest || copyNewest(seen))) {
        return;
      }
    }
    throw new IOException(source.directory() + " changes faster than it can be copied");
  }

  /** A segment of the copy that is complete. */
  private record Part(long nextOffset, long sizeBytes, boolean isLinked) {}

  /** The source's segments: those that are not below its start. */
  private record Seen(TreeSet<Long> bases, TreeSet<Long> swaps) {
    long newest() {
      return bases.last();
    }
  }

  private Seen look() throws IOException {
    Seen seen = new Seen(new TreeSet<>(), new TreeSet<>());
    for (String name : disk.list(source.directory())) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> seen.bases.add(part.baseOffset()));
      LogFiles.parseSwap(name).ifPresent(seen.swaps::add);
    }
    logStartOffset = LogStartOffset.read(disk, source);
    Long first = seen.bases.floor(logStartOffset);
    if (first == null) {
      throw new LogDamagedException(source.directory(), 0, "no segment holds offset " + logStartOffset + ", where the log starts");
    }
    seen.bases.headSet(first).clear();
    return seen;
  }

  /** Lets go of what was copied and is no part of the log any more: it was deleted, or compaction made it one with others. */
  private void resume(Seen seen) throws IOException {
    while (!sealed.isEmpty() && sealed.firstEntry().getValue().nextOffset() <= seen.bases.first()) {
      drop(sealed.firstKey());
    }
    while (!sealed.isEmpty() && !seen.bases.contains(sealed.lastEntry().getValue().nextOffset())) {
      drop(sealed.lastKey());
    }
    if (open.isPresent() && open.get().baseOffset() != at(seen)) {
      discardOpen();
    }
  }

  /** Where the next segment to copy begins. */
  private long at(Seen seen) {
    return sealed.isEmpty() ? seen.bases.first() : sealed.lastEntry().getValue().nextOffset();
  }

  private void drop(long base) throws IOException {
    sealed.remove(base);
    for (Path file : List.of(target.log(base), target.offsetIndex(base), target.timeIndex(base), target.abortedIndex(base))) {
      if (disk.exists(file)) {
        disk.delete(file);
      }
    }
  }

  /** @return false if the source is not as it was seen */
  private boolean copySealed(Seen seen) throws IOException {
    for (long base = at(seen); base < seen.newest(); base = at(seen)) {
      boolean isSwap = seen.swaps.contains(base);
      if (isSwap && open.isPresent()) {
        discardOpen();
      }
      Optional<ByteBuffer> abortedBefore = aborted(base);
      Optional<Part> part = isSwap || open.isPresent() ? Optional.empty() : link(base);
      if (part.isEmpty()) {
        part = copy(base, isSwap);
      }
      if (part.isEmpty()) {
        return false;
      }
      sealed.put(base, part.get());
      if (!seen.bases.contains(part.get().nextOffset())) {
        drop(base);
        return doubt(source.log(base), 0, "ends before offset " + part.get().nextOffset() + ", where no segment starts");
      }
      if (abortedBefore.isPresent() && abortedBefore.equals(aborted(base))) {
        FileCopy.write(disk, target.abortedIndex(base), abortedBefore.get());
      }
    }
    return true;
  }

  private Optional<Part> link(long base) throws IOException {
    for (EarlierCopy each : earlier) {
      try {
        Optional<EarlierCopy.Linked> linked = each.link(source, target, base, base < cleanedOffset);
        if (linked.isPresent()) {
          progress.linked(linked.get().sizeBytes());
          return linked.map(found -> new Part(found.nextOffset(), found.sizeBytes(), true));
        }
      } catch (NoSuchFileException e) { // one of the two has gone: it is copied, or found missing
        continue;
      }
    }
    return Optional.empty();
  }

  /** @return empty if it is not there any more, or not whole */
  private Optional<Part> copy(long base, boolean isSwap) throws IOException {
    Path file = isSwap ? source.swap(base) : source.log(base);
    if (open.isEmpty()) {
      open = Optional.of(CopiedSegment.create(disk, target, base, indexIntervalBytes, piece));
    }
    CopiedSegment copy = open.get();
    try {
      copy.extend(file, progress);
    } catch (NoSuchFileException e) {
      discardOpen();
      return Optional.empty();
    }
    if (!copy.isWhole()) {
      discardOpen();
      doubt(file, copy.intactBytes(), copy.fault().isEmpty() ? "ends too early, though it is not the newest" : copy.fault());
      return Optional.empty();
    }
    copy.seal();
    open = Optional.empty();
    return Optional.of(new Part(copy.nextOffset(), copy.intactBytes(), false));
  }

  private void discardOpen() throws IOException {
    disk.delete(target.log(open.orElseThrow().baseOffset()));
    open = Optional.empty();
  }

  /** What the file says, unless compaction may be about to replace its segment; empty too if there is none. */
  private Optional<ByteBuffer> aborted(long base) throws IOException {
    Optional<ByteBuffer> bytes = FileCopy.read(disk, source.abortedIndex(base));
    return disk.exists(source.cleaned(base)) || disk.exists(source.swap(base)) ? Optional.empty() : bytes;
  }

  /** @return false if the source is not as it was seen */
  private boolean copyNewest(Seen seen) throws IOException {
    long base = at(seen);
    Path log = source.log(base);
    Optional<RecoveryPoint> point = RecoveryPointFile.read(disk, source);
    boolean isNew = open.isEmpty();
    if (isNew) {
      open = Optional.of(CopiedSegment.create(disk, target, base, indexIntervalBytes, piece));
      copySnapshots(base);
    }
    CopiedSegment copy = open.get();
    try {
      copy.extend(log, progress);
    } catch (NoSuchFileException e) {
      discardOpen();
      return false;
    }
    if (point.isPresent() && point.get().baseOffset() > base) {
      return doubt(log, copy.intactBytes(), "the newest segment, but one was begun after it: it is missing");
    }
    int syncedBytes = point.filter(p -> p.baseOffset() == base).map(RecoveryPoint::position).orElse(0);
    boolean isPointKnown = point.filter(p -> p.baseOffset() == base).isPresent();
    if (copy.intactBytes() < syncedBytes || !isPointKnown && !copy.fault().isEmpty()) {
      return doubt(log, copy.intactBytes(), copy.fault().isEmpty() ? "cut short" : copy.fault());
    }
    if (isNew && isPointKnown && copy.offsetAt(syncedBytes) != point.get().nextOffset()) {
      discardOpen(); // so that it is looked at once more
      return doubt(log, syncedBytes, "no batch ends here, as one did when it was synced");
    }
    return copy.nextOffset() >= logStartOffset
        || doubt(log, copy.intactBytes(), LogStartOffset.endsBelow(copy.nextOffset(), logStartOffset));
  }

  /** The newest segment's, and the one before, in case that is damaged. Without any, an open walks the segments. */
  private void copySnapshots(long base) throws IOException {
    TreeSet<Long> wanted = new TreeSet<>(Set.of(base));
    if (!sealed.isEmpty()) {
      wanted.add(sealed.lastKey());
    }
    for (long each : wanted) {
      Optional<ByteBuffer> snapshot = FileCopy.read(disk, source.snapshot(each));
      if (snapshot.isPresent() && !disk.exists(target.snapshot(each))) {
        FileCopy.write(disk, target.snapshot(each), snapshot.get());
      }
    }
  }

  /** A file that is being written can look damaged: it is so if it looks the same again and again. @return false */
  private boolean doubt(Path file, long position, String reason) throws IOException {
    String found = file + " " + position + " " + reason;
    doubts = found.equals(doubt) ? doubts + 1 : 1;
    doubt = found;
    if (doubts == MAX_DOUBTS) {
      throw new LogDamagedException(file, position, reason);
    }
    return false;
  }

  /** Makes the copy complete and durable, but for its name in its parent. After {@link #copyTail}. */
  public void finish() throws IOException {
    CopiedSegment newest = open.orElseThrow();
    newest.sync();
    try (RecoveryPointFile point = RecoveryPointFile.open(disk, target)) {
      point.write(new RecoveryPoint(newest.baseOffset(), newest.intactBytes(), newest.nextOffset()));
      point.sync();
    }
    LogStartOffset.write(disk, target, 0, logStartOffset);
    if (cleaned.isPresent()) {
      FileCopy.write(disk, target.cleanedOffset(), cleaned.get());
    }
    disk.syncDirectory(target.directory());
  }

  /** Where the copy ends by now. After {@link #copyTail}. */
  public long nextOffset() {
    return open.orElseThrow().nextOffset();
  }

  /** So far. */
  public BackupCounts counts() {
    BackupCounts counts = open.map(newest -> BackupCounts.NONE.withCopied(newest.intactBytes())).orElse(BackupCounts.NONE);
    for (Part part : sealed.values()) {
      counts = part.isLinked() ? counts.withLinked(part.sizeBytes()) : counts.withCopied(part.sizeBytes());
    }
    return counts;
  }

  /** Producers whose transactions are open in the copy. After {@link #finish}. */
  public List<ActiveProducer> openTransactions() throws IOException {
    return LogTruncation.openTransactions(disk, target.directory(), open.orElseThrow().nextOffset());
  }

  // ---------------------------------------------------------------- what else a backup needs of files

  /** A small file, if it is there, synced. */
  public static void copyFile(Disk disk, Path from, Path to) throws IOException {
    Optional<ByteBuffer> bytes = FileCopy.read(disk, from);
    if (bytes.isPresent()) {
      FileCopy.write(disk, to, bytes.get());
    }
  }

  /** In place of what is there of a copy: every file of a damaged log, for whoever has to make the best of it. */
  public static void copyAsItIs(Disk disk, Path source, Path target, BackupProgress progress, ByteBuffer piece)
      throws IOException {
    discard(disk, target);
    disk.createDirectory(target);
    for (String name : disk.list(source)) {
      if (LogFiles.isPartOfLog(source.resolve(name)) && disk.isFile(source.resolve(name))) {
        FileCopy.copyFile(disk, source.resolve(name), target.resolve(name), piece, progress);
      }
    }
    disk.syncDirectory(target);
  }

  /** Deletes what is there of a copy. */
  public static void discard(Disk disk, Path target) throws IOException {
    if (disk.exists(target)) {
      BackupTarget.deleteTree(disk, target);
    }
  }
}
