package kaka.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A large answer that is made slice by slice, and what is held of it from one to the next. It blocks in file operations: used on
 * {@code kaka.dispatchers.fetch-io}, by one thread at a time.
 */
public interface SlicedAnswer {
  /**
   * The next bytes of the answer's frame, the first call's starting with the frame header.
   *
   * @param sliceBytes how many it holds at most: those of the slice, and as many to read through, whatever {@link #taskBytes} says
   *     beyond
   * @return a buffer from its start up to a limit, never empty, the caller's now, to be given back to the {@link RunBuffers} of the broker's {@link
   *     SliceSizes}, of which it is if it is outside the heap; nothing if this call has read so much that others should have the thread first: call again
   * @throws IOException if the disk cannot be read, or what stands there is damaged
   * @throws kaka.record.NoAllowanceException if there is no room for what has to be known before the first slice
   */
  Optional<ByteBuffer> next(int sliceBytes) throws IOException;

  /** Whether {@link #next} has given everything. */
  boolean isExhausted();

  /** Whether {@link #next}, which has given everything, has found nothing that is a record up to the end. */
  default boolean isNothing() {
    return false;
  }

  /** Before the first slice: whether there are as many stored bytes, or there is another reason to answer; reads nothing. */
  boolean isWorth(long leastBytes);

  /** Bytes of the answer that are made and not given yet. */
  long madeBytes();

  /** Bytes held to read through, which {@link #trim} lets go of. */
  long windowBytes();

  /** What is held at most while the next slice is made, with what is held already, if it has {@code sliceBytes}. */
  long taskBytes(int sliceBytes);

  /** What is still to be given, or more where that is not known. */
  long leftBytes();

  /** Lets go of what can be read again. */
  void trim();
}
