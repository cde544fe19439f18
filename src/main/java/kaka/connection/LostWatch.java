package kaka.connection;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import kaka.socket.SelectorLoop;

/**
 * Notices that a client has reset its connection while the socket is not to be read, as behind a full window. A selector does not
 * wait for a socket of which nothing is wanted; and a read, even if there were room for what it brings, would first bring
 * what the client had sent before. So the selector is asked, for one turn, whether a socket that is connected can be connected. It never
 * can, and whatever is asked is said to be possible where the connection is lost, so that trying it shows that.
 *
 * <p>A selector that says otherwise (one that is not the JDK's for Linux) costs nothing but the early notice. A client that closes its side in
 * good order is not lost: it may wait for answers. On the loop's thread alone.
 */
final class LostWatch {
  private final SelectorLoop loop;
  private final SocketChannel channel;

  /** @param channel registered with {@code loop} before the first {@link #look} */
  LostWatch(SelectorLoop loop, SocketChannel channel) {
    this.loop = loop;
    this.channel = channel;
  }

  /** Has the key's handler called, with one that {@link #isLost}, if that is so and the socket is not read. */
  void look() {
    SelectionKey key = loop.keyOf(channel);
    if (key.isValid() && (key.interestOps() & SelectionKey.OP_READ) == 0) {
      key.interestOpsOr(SelectionKey.OP_CONNECT);
      loop.execute(() -> endLook(key)); // after the loop has looked at its sockets once
    }
  }

  private static void endLook(SelectionKey key) {
    if (key.isValid()) {
      key.interestOpsAnd(~SelectionKey.OP_CONNECT);
    }
  }

  static boolean isLost(SelectionKey ready) {
    return ready.isConnectable();
  }
}
