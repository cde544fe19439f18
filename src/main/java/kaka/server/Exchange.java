package kaka.server;

/**
 * One request of a connection and its answer, from the moment it was cut from the stream until the last byte of the answer
 * went out. Exchanges stand in the order of their requests; only the oldest one sends.
 */
abstract class Exchange {
  private final int requestBytes;

  /** @param requestBytes what it counts for in the connection's window of bytes */
  Exchange(int requestBytes) {
    this.requestBytes = requestBytes;
  }

  final int requestBytes() {
    return requestBytes;
  }

  /** Called once, when every earlier answer has gone out: for what should be looked up, or read, no earlier. */
  void onOldest() {}

  /**
   * Gives what can be sent now.
   *
   * @return true when the answer is complete; false to be called again when something has changed or the output has room
   */
  abstract boolean writeTo(AnswerBuffer out);

  /** The connection has ended, or the answer is out: whatever is held is let go. */
  void release() {}
}
