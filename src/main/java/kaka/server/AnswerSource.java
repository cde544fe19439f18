package kaka.server;

import java.io.Closeable;
import java.io.IOException;
import kaka.connection.SlicedAnswer;

/** An answer to a native fetch, read from the disk. */
interface AnswerSource extends SlicedAnswer, Closeable {
  /** Stored bytes from the first batch wanted up to the high watermark, or as many as the answer can take; reads nothing. */
  long availableBytes();

  @Override
  default boolean isWorth(long leastBytes) {
    return availableBytes() >= leastBytes;
  }

  /** How many records the answer has, once {@link #next} has given its first bytes. */
  long recordCount();

  /** Lets go of the segments. */
  @Override
  void close() throws IOException;
}
