package kaka.connection;

import java.util.function.Consumer;

/** An answer that comes from elsewhere, an actor or a read, as one small frame; asked for when its turn comes. */
public final class AwaitedExchange extends Exchange {
  private final Consumer<AwaitedExchange> ask;
  private volatile boolean ended;
  private byte[] frame;

  /** @param ask called once, when every earlier answer is out; sees to it that {@link #complete} is called */
  public AwaitedExchange(int bodyBytes, Consumer<AwaitedExchange> ask) {
    super(bodyBytes);
    this.ask = ask;
  }

  public void complete(byte[] frame) {
    this.frame = frame;
  }

  @Override
  protected void onOldest() {
    ask.accept(this);
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (frame == null) {
      return false;
    }
    out.add(frame);
    return true;
  }

  /** From any thread: whether the answer is not wanted any more. */
  public boolean hasEnded() {
    return ended;
  }

  @Override
  protected void release() {
    ended = true;
  }
}
