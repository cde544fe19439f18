package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where backups are kept, each a data directory of its own that a broker opens:
 *
 * <pre>
 * kaka-backup                       says what this directory is for; locked while a backup is taken
 * 000007-20261130T005211Z/          a backup: its number, and when it was begun
 * 000008-20261201T005210Z.partial/  being taken; gets its name when it is complete and synced
 * 000008-20261201T005210Z.old/      begun and not completed: what is whole in it is not copied again
 * 000003-20261126T005213Z.gone/     being deleted
 * </pre>
 *
 * So whatever interrupts a backup, those before it stay as they were. Segments that did not change are one file with a name in each
 * backup: a backup costs what is new, any of them can be deleted by itself, and none is ever changed.
 */
public final class BackupTarget implements Closeable {
  private static final String MARK = "kaka-backup";
  private static final String PARTIAL = ".partial";
  private static final String OLD = ".old";

  /** The last may have been interrupted early, when the one before had nearly all. */
  private static final int MAX_OLD = 3;

  private static final String GONE = ".gone";
  private static final Pattern BACKUP = Pattern.compile("(\\d{6,9})-\\d{8}T\\d{6}Z(\\.partial|\\.old|\\.gone)?");
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Disk disk;
  private final Path path;
  private final Closeable lock;

  private BackupTarget(Disk disk, Path path, Closeable lock) {
    this.disk = disk;
    this.path = path;
    this.lock = lock;
  }

  /**
   * Takes the directory, and makes it if it is missing.
   *
   * @throws AlreadyLockedException if another backup is being taken into it
   * @throws IOException if it is no directory for backups, in one line; nothing was changed then
   */
  public static BackupTarget open(Disk disk, Path path) throws IOException {
    if (disk.exists(path) && !disk.isDirectory(path)) {
      throw new UnusableDirectoryException(path + " is not a directory");
    }
    if (disk.exists(path) && !disk.exists(path.resolve(MARK)) && !disk.list(path).isEmpty()) {
      throw new UnusableDirectoryException(path + " is not empty, and holds no backups of kaka's: give another directory");
    }
    WholeFile.createDirectories(disk, path);
    if (!disk.exists(path.resolve(MARK))) {
      disk.create(path.resolve(MARK)).close();
    }
    Closeable lock = disk.lock(path.resolve(MARK));
    try {
      disk.syncDirectory(path);
      return new BackupTarget(disk, path, lock);
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  /** The complete backups in {@code path}, the oldest first; empty if it holds none. */
  public static List<Path> backups(Disk disk, Path path) throws IOException {
    return disk.isDirectory(path) ? withSuffix(disk, path, Optional.empty()) : List.of();
  }

  private static List<Path> withSuffix(Disk disk, Path path, Optional<String> suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : disk.list(path)) {
      Matcher matcher = BACKUP.matcher(name);
      if (matcher.matches() && Optional.ofNullable(matcher.group(2)).equals(suffix)) {
        found.add(path.resolve(name));
      }
    }
    return found;
  }

  /** A new backup, empty; what earlier ones that were interrupted have left is kept aside, or deleted. */
  public Path begin(Instant now) throws IOException {
    for (Path gone : withSuffix(disk, path, Optional.of(GONE))) {
      deleteTree(gone);
    }
    for (Path partial : withSuffix(disk, path, Optional.of(PARTIAL))) {
      disk.move(partial, withSuffix(partial, PARTIAL, OLD));
    }
    List<Path> old = withSuffix(disk, path, Optional.of(OLD));
    for (Path each : old.subList(0, Math.max(0, old.size() - MAX_OLD))) {
      deleteTree(each);
    }
    int last = 0;
    for (String name : disk.list(path)) {
      Matcher matcher = BACKUP.matcher(name);
      last = matcher.matches() ? Math.max(last, Integer.parseInt(matcher.group(1))) : last;
    }
    Path begun = path.resolve(String.format(java.util.Locale.ROOT, "%06d-%s%s", last + 1, TIME.format(now), PARTIAL));
    disk.createDirectory(begun);
    disk.syncDirectory(path);
    return begun;
  }

  /** What the backup that was begun need not copy again, the best first. */
  public List<Path> earlier() throws IOException {
    List<Path> earlier = new ArrayList<>(withSuffix(disk, path, Optional.of(OLD)));
    earlier.addAll(backups(disk, path));
    java.util.Collections.reverse(earlier);
    return earlier;
  }

  /** Everything in it is synced, and so is it: from now on it is one. @return its name */
  public Path complete(Path begun) throws IOException {
    Path complete = withSuffix(begun, PARTIAL, "");
    disk.syncDirectory(begun);
    disk.move(begun, complete);
    disk.syncDirectory(path);
    for (Path old : withSuffix(disk, path, Optional.of(OLD))) {
      deleteTree(old);
    }
    return complete;
  }

  /** Deletes the oldest backups but for {@code count}, which is at least 1. @return those that went */
  public List<Path> keep(int count) throws IOException {
    List<Path> complete = backups(disk, path);
    List<Path> deleted = List.copyOf(complete.subList(0, Math.max(0, complete.size() - count)));
    for (Path each : deleted) {
      Path gone = withSuffix(each, "", GONE);
      disk.move(each, gone);
      disk.syncDirectory(path);
      deleteTree(gone);
    }
    return deleted;
  }

  private static Path withSuffix(Path backup, String from, String to) {
    String name = backup.getFileName().toString();
    return backup.resolveSibling(name.substring(0, name.length() - from.length()) + to);
  }

  private void deleteTree(Path directory) throws IOException {
    deleteTree(disk, directory);
    disk.syncDirectory(path);
  }

  static void deleteTree(Disk disk, Path directory) throws IOException {
    for (String name : disk.list(directory)) {
      Path each = directory.resolve(name);
      if (disk.isDirectory(each)) {
        deleteTree(disk, each);
      } else {
        disk.delete(each);
      }
    }
    disk.delete(directory);
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
