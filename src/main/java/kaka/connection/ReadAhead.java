package kaka.connection;

import java.io.IOException;

/**
 * What a connection reads of its socket: a chunk when it can use one, and one more that waits for credit, so that a client that
 * leaves is noticed.
 */
final class ReadAhead {
  private final ClientSocket socket;
  private byte[] waiting; // a chunk, or null
  private boolean isWanted; // the next chunk is used at once
  private long chunkCount;

  ReadAhead(ClientSocket socket) {
    this.socket = socket;
  }

  /** The next chunk is used at once. */
  void want() {
    isWanted = true;
    socket.wantInput(true);
  }

  /**
   * The socket has bytes, or their end; what is read is to be {@link #take}n if it was wanted, else it waits.
   *
   * @param isPassedOver whether nobody will use it
   * @return whether it is to be taken now
   * @throws IOException if the connection is lost
   */
  boolean read(boolean isPassedOver) throws IOException {
    if (waiting != null) {
      socket.wantInput(false); // there is one already
      return false;
    }
    byte[] chunk = socket.read();
    if (chunk.length == 0 || isPassedOver) {
      return false;
    }
    chunkCount++;
    waiting = chunk;
    if (isWanted) {
      isWanted = false;
      return true;
    }
    socket.wantInput(false);
    return false;
  }

  /** Whether one waits. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** The one that waits. */
  byte[] take() {
    byte[] chunk = waiting;
    waiting = null;
    return chunk;
  }

  /** How many were read, but for those that were passed over. */
  long chunkCount() {
    return chunkCount;
  }
}
