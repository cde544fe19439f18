package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Moves bytes of open files in pieces of a bounded size. */
final class FileCopy {
  private static final int COPY_BYTES = 256 * 1024;

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
}
