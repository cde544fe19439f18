package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Moves bytes of open files in pieces of a bounded size. */
final class FileCopy {
  private static final int COPY_BYTES = 256 * 1024;

  /** No more is synced at a time, so that nobody else's sync waits long for this one's. */
  static final int SYNC_BYTES = 16 * 1024 * 1024;

  private FileCopy() {}

  /**
   * Writes the bytes in place as they are read, and syncs them: after a failed sync the page cache may show what the disk does
   * not have, and takes it for clean.
   */
  static void rewrite(DiskFile file, int from, int to) throws IOException {
    if (from == to) {
      return;
    }
    ByteBuffer copy = ByteBuffer.allocate(Math.min(COPY_BYTES, to - from));
    for (int at = from; at < to; at += copy.limit()) {
      copy.clear().limit(Math.min(copy.capacity(), to - at));
      readFully(file, copy, at);
      file.write(copy.flip(), at);
    }
    file.sync();
  }

  static void readFully(DiskFile file, ByteBuffer target, int position) throws IOException {
    int wanted = target.remaining();
    int count = file.read(target, position);
    if (count < wanted) {
      throw new IOException("file ends at " + (position + count) + ", before " + (position + wanted));
    }
  }

  /** Writes the bytes from {@code from} to {@code to} at the start of {@code target}, and syncs it. */
  static void copy(DiskFile file, int from, int to, DiskFile target) throws IOException {
    ByteBuffer copy = ByteBuffer.allocate(Math.min(COPY_BYTES, to - from));
    for (int at = from; at < to; at += copy.limit()) {
      copy.clear().limit(Math.min(copy.capacity(), to - at));
      readFully(file, copy, at);
      target.write(copy.flip(), at - from);
    }
    target.sync();
  }

  /** Whether {@code other} holds just these bytes. */
  static boolean isCopy(DiskFile file, int from, int to, DiskFile other) throws IOException {
    if (other.sizeBytes() != to - from) {
      return false;
    }
    ByteBuffer there = ByteBuffer.allocate(Math.min(COPY_BYTES, to - from));
    ByteBuffer here = ByteBuffer.allocate(there.capacity());
    for (int at = from; at < to; at += there.limit()) {
      int part = Math.min(there.capacity(), to - at);
      readFully(other, there.clear().limit(part), at - from);
      readFully(file, here.clear().limit(part), at);
      if (!there.flip().equals(here.flip())) {
        return false;
      }
    }
    return true;
  }

  /** All of a file that is small; empty if there is none. */
  static Optional<ByteBuffer> read(Disk disk, Path path) throws IOException {
    try (DiskFile file = disk.openForReading(path)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.sizeBytes()));
      file.read(bytes, 0);
      return Optional.of(bytes.flip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** A new file of these bytes, synced; the caller syncs the directory. */
  static void write(Disk disk, Path path, ByteBuffer bytes) throws IOException {
    try (DiskFile file = disk.create(path)) {
      file.write(bytes.duplicate(), 0);
      file.sync();
    }
  }

  /** A whole file to a new one of that name, synced, with the time of its last write. */
  static void copyFile(Disk disk, Path from, Path to, ByteBuffer piece, BackupProgress progress) throws IOException {
    try (DiskFile in = disk.openForReading(from);
        DiskFile out = disk.create(to)) {
      long at = 0;
      for (int count = in.read(piece.clear(), at); count > 0; count = in.read(piece.clear(), at)) {
        out.write(piece.flip(), at);
        at += count;
        if (at % SYNC_BYTES == 0) {
          out.sync();
        }
        progress.copied(count);
      }
      out.sync();
    }
    disk.setLastModifiedMs(to, disk.lastModifiedMs(from));
  }
}
