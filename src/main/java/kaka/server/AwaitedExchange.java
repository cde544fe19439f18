package kaka.server;

/** An answer that comes from elsewhere, an actor or a read, as one small frame. */
final class AwaitedExchange extends Exchange {
  private byte[] frame;

  AwaitedExchange(int requestBytes) {
    super(requestBytes);
  }

  void complete(byte[] frame) {
    this.frame = frame;
  }

  @Override
  boolean writeTo(AnswerBuffer out) {
    if (frame == null) {
      return false;
    }
    out.add(frame);
    return true;
  }
}
