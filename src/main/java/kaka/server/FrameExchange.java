package kaka.server;

import java.util.function.Supplier;

/** An answer that is one small frame, made at once or when its turn comes, so that it tells of all requests before it. */
final class FrameExchange extends Exchange {
  private final Supplier<byte[]> frame;

  private FrameExchange(int bodyBytes, Supplier<byte[]> frame) {
    super(bodyBytes);
    this.frame = frame;
  }

  static FrameExchange of(int bodyBytes, byte[] frame) {
    return new FrameExchange(bodyBytes, () -> frame);
  }

  /** @param frame asked for once, on the connection's stage, when every earlier answer is out; must not block */
  static FrameExchange whenOldest(int bodyBytes, Supplier<byte[]> frame) {
    return new FrameExchange(bodyBytes, frame);
  }

  @Override
  boolean writeTo(AnswerBuffer out) {
    out.add(frame.get());
    return true;
  }
}
