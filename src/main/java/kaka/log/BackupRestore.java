package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Makes a data directory of a backup: a copy that shares no file with it. It gets its name when it is complete and synced, so
 * whatever interrupts it, a broker finds all of it or nothing.
 */
public final class BackupRestore {
  private static final String RESTORING = ".restoring";

  private final Disk disk;
  private final BackupProgress progress;
  private final ByteBuffer piece = CopiedSegment.newPiece();

  private BackupRestore(Disk disk, BackupProgress progress) {
    this.disk = disk;
    this.progress = progress;
  }

  /** Bytes of all files below {@code directory}, to measure progress by. */
  public static long sizeBytes(Disk disk, Path directory) throws IOException {
    long bytes = 0;
    for (String name : disk.list(directory)) {
      Path each = directory.resolve(name);
      if (disk.isDirectory(each)) {
        bytes += sizeBytes(disk, each);
      } else {
        try (DiskFile file = disk.openForReading(each)) {
          bytes += file.sizeBytes();
        }
      }
    }
    return bytes;
  }

  /**
   * @param to not there yet, or an empty directory; what an interrupted call has left beside it is deleted
   * @throws IOException if it is anything else, in one line, or the disk refuses
   */
  public static void run(Disk disk, Path backup, Path to, BackupProgress progress) throws IOException {
    boolean isThere = disk.exists(to);
    if (isThere && (!disk.isDirectory(to) || !disk.list(to).isEmpty())) {
      throw new UnusableDirectoryException(to + " is not an empty directory: nothing is restored over what is there");
    }
    Path parent = WholeFile.parentOf(to);
    WholeFile.createDirectories(disk, parent);
    Path copy = to.resolveSibling(to.getFileName() + RESTORING);
    if (disk.exists(copy)) {
      BackupTarget.deleteTree(disk, copy);
    }
    new BackupRestore(disk, progress).copyTree(backup, copy);
    if (isThere) {
      disk.delete(to);
    }
    disk.move(copy, to);
    disk.syncDirectory(parent);
  }

  private void copyTree(Path from, Path to) throws IOException {
    disk.createDirectory(to);
    for (String name : disk.list(from)) {
      if (disk.isDirectory(from.resolve(name))) {
        copyTree(from.resolve(name), to.resolve(name));
      } else {
        FileCopy.copyFile(disk, from.resolve(name), to.resolve(name), piece, progress);
      }
    }
    disk.syncDirectory(to);
  }
}
