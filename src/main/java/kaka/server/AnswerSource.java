package kaka.server;

import java.io.Closeable;
import java.io.IOException;

/**
 * An answer that is read from the disk slice by slice, each when there is room for it. It blocks in file operations: used on
 * {@code kaka.dispatchers.fetch-io}, by one thread at a time.
 */
interface AnswerSource extends Closeable {
  /** Bytes a slice has at most; what one connection holds of an answer is two of them. */
  int SLICE_BYTES = 256 << 10;

  /**
   * The next bytes of the answer's frame, the first call's starting with the frame header.
   *
   * @return never empty
   * @throws IOException if the disk cannot be read, or what stands there is damaged
   */
  byte[] next() throws IOException;

  /** Stored bytes from the first one wanted up to the high watermark, for a fetch's {@code min_bytes}. */
  long availableBytes();

  /** Whether {@link #next} has given everything. */
  boolean isExhausted();

  /** Lets go of the segments. */
  @Override
  void close() throws IOException;
}
