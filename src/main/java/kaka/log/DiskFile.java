package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a {@link Disk}. One thread at a time changes it; any thread may read meanwhile what was written before.
 * Positions and sizes are bytes from the start of the file.
 */
public interface DiskFile extends Closeable {
  /**
   * Fills {@code target} from {@code position} on.
   *
   * @return bytes read: fewer than asked for only where the file ends, 0 at and after its end
   */
  int read(ByteBuffer target, long position) throws IOException;

  /**
   * Writes all of {@code source} at {@code position}, at most at the file's end. Not durable before {@link #sync}.
   *
   * @throws IOException if the disk refused; any part of it may have been written
   */
  void write(ByteBuffer source, long position) throws IOException;

  /** Drops what is after {@code sizeBytes}, which is at most the size. */
  void truncate(long sizeBytes) throws IOException;

  /**
   * Makes every byte written so far, and the size, durable ({@code fdatasync}).
   *
   * @throws IOException if the disk refused: never sync again, the kernel may have dropped the bytes (Rebello et al., ATC
   *     2020)
   */
  void sync() throws IOException;

  long sizeBytes() throws IOException;
}
