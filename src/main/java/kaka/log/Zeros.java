package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Finds what a {@link ZeroedRoom} has left behind a segment's last batch, when a crash came before it was cut off. */
final class Zeros {
  /**
   * What file systems write at a time, and of which what a file takes of the disk is a multiple, as a rule: what is not zero in one
   * block may have zeros of its own behind it.
   */
  static final int BLOCK_BYTES = 4 * 1024;

  private static final int WINDOW_BYTES = 256 * 1024;

  private Zeros() {}

  /**
   * Where the zeros begin with which the file ends.
   *
   * @param to the file's end
   * @return {@code from} if nothing else follows on it; else the end of the last block that has something else in it
   */
  static int startAtEnd(DiskFile file, int from, int to) throws IOException {
    ByteBuffer window = ByteBuffer.allocate(Math.min(WINDOW_BYTES, to - from));
    for (int end = to; end > from; ) {
      int start = Math.max(from, end - window.capacity());
      FileCopy.readFully(file, window.clear().limit(end - start), start);
      for (int i = end - start - 1; i >= 0; i--) {
        if (window.get(i) != 0) {
          long blockEnd = ((long) (start + i) / BLOCK_BYTES + 1) * BLOCK_BYTES;
          return (int) Math.min(to, blockEnd);
        }
      }
      end = start;
    }
    return from;
  }
}
