package kaka.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** One connection of a {@link BenchLoop}, on whose thread everything here runs. */
abstract class BenchConnection {
  final SocketChannel channel;
  private SelectionKey key;
  private long plannedNs = Long.MAX_VALUE;

  BenchConnection(SocketChannel channel) {
    this.channel = channel;
  }

  final void registered(SelectionKey key) {
    this.key = key;
  }

  /** Says whether it waits for room to write, too. */
  final void wantWrite(boolean isWanted) {
    int ops = isWanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != ops) {
      key.interestOps(ops);
    }
  }

  /** When {@link #send} is to be called next without any other reason; the loop's note. */
  final long plannedNs() {
    return plannedNs;
  }

  final void plan(long atNs) {
    plannedNs = atNs;
  }

  /** Sends what is due; called at the start, after what was received, when the socket has room, and when it was planned. */
  abstract void send(long nowNs) throws IOException;

  /**
   * Takes what the socket has.
   *
   * @param scratch for the bytes; of the loop
   */
  abstract void receive(byte[] scratch) throws IOException;

  /** When to call {@link #send} without any other reason, after {@code nowNs}; {@link Long#MAX_VALUE}: never. */
  abstract long nextDueNs(long nowNs);

  /** Whether an answer is waited for. */
  abstract boolean isWaiting();

  /** Whether it is through, with nothing in flight. */
  abstract boolean isDone(long nowNs);
}
