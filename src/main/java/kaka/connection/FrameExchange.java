package kaka.connection;

/** An answer that is known at once: one small frame. */
public final class FrameExchange extends Exchange {
  private final byte[] frame;

  private FrameExchange(int bodyBytes, byte[] frame) {
    super(bodyBytes);
    this.frame = frame;
  }

  public static FrameExchange of(int bodyBytes, byte[] frame) {
    return new FrameExchange(bodyBytes, frame);
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    out.add(frame);
    return true;
  }
}
