package kaka.connection;

import java.io.IOException;

/**
 * What a connection reads of its socket: a chunk when it can use one, and one more that waits for credit, so that a client that
 * leaves is noticed. Of a frame that is larger than a chunk the rest is read straight to where the frame is put together, in pieces
 * as large as the loop's buffer.
 */
final class ReadAhead {
  private final ClientSocket socket;
  private final ConnectionInput input;
  private byte[] waiting; // a chunk, or null
  private boolean isWanted; // the next chunk is used at once
  private long chunkCount;

  ReadAhead(ClientSocket socket, ConnectionInput input) {
    this.socket = socket;
    this.input = input;
  }

  /** The next chunk is used at once. */
  void want() {
    isWanted = true;
    socket.wantInput(true);
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
    if (isWanted && !isPassedOver && input.missingBytes() >= socket.chunkBytes()) {
      if (input.fill(socket::read) == 0) {
        return false;
      }
      chunkCount++;
      isWanted = false;
      return true;
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

  /** Feeds the one that waits, if there is one, to the connection's input. */
  void use() {
    if (waiting != null) {
      input.feed(waiting);
      waiting = null;
    }
  }

  /** Lets go of the one that waits: nobody uses it. */
  void drop() {
    waiting = null;
  }

  /** How many were read, and pieces of large frames, but for those that were passed over. */
  long chunkCount() {
    return chunkCount;
  }
}
