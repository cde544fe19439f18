package kaka.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * An answer that is read from the disk slice by slice, each when there is room for it. It blocks in file operations: used on
 * {@code kaka.dispatchers.fetch-io}, by one thread at a time.
 */
interface AnswerSource extends Closeable {
  /** Bytes of a slice for an answer of {@code maxBytes}: what is read ahead, and sent in one write. */
  static int sliceBytes(int maxBytes) {
    return Math.max(4 << 10, Math.min(256 << 10, maxBytes));
  }

  /** What a connection holds of an answer: three slices, a copy of one that is cut, and a window to read through. */
  static int heldBytes(int maxBytes) {
    return 5 * sliceBytes(maxBytes);
  }

  /**
   * The next bytes of the answer's frame, the first call's starting with the frame header.
   *
   * @return never an empty array; nothing if this call has read so much that others should have the thread first: call again
   * @throws IOException if the disk cannot be read, or what stands there is damaged
   */
  Optional<byte[]> next() throws IOException;

  /** Stored bytes from the first batch wanted up to the high watermark, or as many as the answer can take, for a fetch's {@code min_bytes}; reads nothing. */
  long availableBytes();

  /** Whether {@link #next}, which has given everything, has found nothing that is a record up to the end. */
  default boolean isNothing() {
    return false;
  }

  /** How many records the answer has, once {@link #next} has given its first bytes. */
  long recordCount();

  /** Whether {@link #next} has given everything. */
  boolean isExhausted();

  /** Lets go of the segments. */
  @Override
  void close() throws IOException;
}
