package kaka.connection;

/** An answer that is known at once: one small frame, or the same one several times. */
public final class FrameExchange extends Exchange {
  private final byte[] frame;
  private int count;

  private FrameExchange(int bodyBytes, int count, byte[] frame) {
    super(bodyBytes);
    this.count = count;
    this.frame = frame;
  }

  public static FrameExchange of(int bodyBytes, byte[] frame) {
    return new FrameExchange(bodyBytes, 1, frame);
  }

  /** The same answer to {@code count} requests in a row, of which nothing was kept. */
  public static FrameExchange repeated(int count, byte[] frame) {
    return new FrameExchange(0, count, frame);
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    for (; count > 0 && !out.isFull(); count--) {
      out.add(frame);
    }
    return count == 0;
  }
}
