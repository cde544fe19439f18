package kaka.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.SlicedAnswer;

/**
 * An answer that is read from the disk slice by slice, each when there is room for it. It blocks in file operations: used on
 * {@code kaka.dispatchers.fetch-io}, by one thread at a time.
 */
interface AnswerSource extends SlicedAnswer, Closeable {
  /**
   * The next bytes of the answer's frame, the first call's starting with the frame header.
   *
   * @param sliceBytes how many it holds at most: those of the slice, and as many to read through, whatever {@link #taskBytes} says
   *     beyond
   * @return an array from its start up to a limit, never empty; nothing if this call has read so much that others should have the
   *     thread first: call again
   * @throws IOException if the disk cannot be read, or what stands there is damaged
   */
  Optional<ByteBuffer> next(int sliceBytes) throws IOException;

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
