package kaka.connection;

import java.io.IOException;
import kaka.partition.MemoryBudget;

/**
 * What a connection reads of its socket: a chunk when it can use one, and one more that waits for credit, so that a client that
 * leaves is noticed. Of a frame that is much larger than a chunk the rest is read straight to where the frame is put together, in pieces
 * as large as the loop's buffer.
 *
 * <p>Behind a chunk that was full there is more. So the next, if it can be used at once, is a wide one, with many frames whole in it
 * instead of one that crosses into the next chunk and is copied for that; what it is more than a chunk is charged to the memory budget,
 * and where a quarter of that, less some of these, is used, it is a chunk like any other.
 */
final class ReadAhead {
  /** Of a wide chunk. */
  private static final int WIDE_BYTES = 128 << 10;

  /** So many must fit in {@link #BUDGET_PART}, beside all that is held, for one to be read. */
  private static final int ROOM_FOR = 16;

  /**
   * The part of the budget: the rest stays for what is made of requests, which is worth more, and so much of it that answers do not become
   * small by wide chunks alone ({@link SliceSizes}).
   */
  private static final int BUDGET_PART = 4;

  private final ClientSocket socket;
  private final ConnectionInput input;
  private final MemoryBudget memory;
  private byte[] waiting; // a chunk, or null
  private int chargedBytes; // for it
  private boolean wasFull; // the last chunk
  private boolean isWanted; // the next chunk is used at once
  private long chunkCount;

  ReadAhead(ClientSocket socket, ConnectionInput input, MemoryBudget memory) {
    this.socket = socket;
    this.input = input;
    this.memory = memory;
  }

  /** The next chunk is used at once. */
  void want() {
    isWanted = true;
    socket.wantInput(true);
  }

  /** Nobody will use the next. */
  void wantNoMore() {
    isWanted = false;
  }

  /**
   * The socket has bytes, or their end; what is read is to be {@link #use}d if it was wanted, else it waits.
   *
   * @param isPassedOver whether nobody will use it
   * @return whether it is to be used now
   * @throws IOException if the connection is lost
   */
  boolean read(boolean isPassedOver) throws IOException {
    if (waiting != null) {
      socket.wantInput(false); // there is one already
      return false;
    }
    if (isPassedOver) {
      socket.read(socket.chunkBytes());
      return false;
    }
    if (isWanted && input.missingBytes() >= socket.chunkBytes()) {
      if (input.fill(socket::read) == 0) {
        return false;
      }
      wasFull = false;
      chunkCount++;
      isWanted = false;
      return true;
    }
    waiting = readChunk();
    if (waiting == null) {
      return false;
    }
    chunkCount++;
    if (isWanted) {
      isWanted = false;
      return true;
    }
    socket.wantInput(false);
    return false;
  }

  /** Null if nothing is there. */
  private byte[] readChunk() throws IOException {
    int chunkBytes = socket.chunkBytes();
    int moreBytes = isWanted && wasFull ? reserve(WIDE_BYTES - chunkBytes) : 0;
    int usedBytes = 0;
    try {
      byte[] chunk = socket.read(chunkBytes + moreBytes);
      wasFull = chunk.length >= chunkBytes;
      usedBytes = Math.max(0, chunk.length - chunkBytes);
      return chunk.length == 0 ? null : chunk;
    } finally {
      memory.release(moreBytes - usedBytes);
      chargedBytes = usedBytes;
    }
  }

  /** Either all of it, or nothing; a read that is not wide is no refusal of anything. */
  private int reserve(int bytes) {
    boolean isRoomy = bytes > 0 && memory.maxBytes() / BUDGET_PART - memory.usedBytes() >= (long) ROOM_FOR * bytes;
    return isRoomy && memory.tryReserve(bytes) ? bytes : 0;
  }

  /** Whether one waits. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Feeds the one that waits, if there is one, to the connection's input. */
  void use() {
    if (waiting != null) {
      input.feed(waiting, chargedBytes);
      waiting = null;
      chargedBytes = 0;
    }
  }

  /** Lets go of the one that waits: nobody uses it. */
  void drop() {
    memory.release(chargedBytes);
    waiting = null;
    chargedBytes = 0;
  }

  /** How many were read, and pieces of large frames, but for those that were passed over. */
  long chunkCount() {
    return chunkCount;
  }
}
