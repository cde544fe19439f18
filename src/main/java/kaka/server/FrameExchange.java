package kaka.server;

import java.util.function.Supplier;

/** An answer that is one small frame, made at once or when its turn comes, so that it tells of all requests before it. */
final class FrameExchange extends Exchange {
  private final Supplier<byte[]> frame;

  private FrameExchange(int requestBytes, Supplier<byte[]> frame) {
    super(requestBytes);
    this.frame = frame;
  }

  static FrameExchange of(int requestBytes, byte[] frame) {
    return new FrameExchange(requestBytes, () -> frame);
  }

  /** @param frame asked for once, on the connection's stage, when every earlier answer is out; must not block */
  static FrameExchange whenOldest(int requestBytes, Supplier<byte[]> frame) {
    return new FrameExchange(requestBytes, frame);
  }

  @Override
  boolean writeTo(AnswerBuffer out) {
    out.add(frame.get());
    return true;
  }
}
