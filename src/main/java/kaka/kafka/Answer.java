package kaka.kafka;

import java.io.IOException;
import java.util.function.Consumer;
import kaka.connection.AnswerBuffer;
import kaka.connection.BatchCheck;
import kaka.connection.Exchange;
import kaka.partition.MemoryBudget;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request that is answered by one response without records, made when its turn comes, at once or when somebody who was asked
 * has replied. What it takes is charged before it is made.
 */
final class Answer extends Exchange {
  /** Up to here it is copied to the other small answers, and let go at once. */
  private static final int SMALL_BYTES = 4 << 10;

  /** Somebody who is waited for, and may be for long. */
  interface Waiting {
    /** The client, or the broker, goes: whoever can answer now does. */
    void stop();

    /** The connection has ended, or the answer is out. */
    void end();
  }

  private static final Waiting NOBODY =
      new Waiting() {
        @Override
        public void stop() {}

        @Override
        public void end() {}
      };

  private final Call call;
  private final Consumer<Answer> start;
  private Waiting waiting = NOBODY;
  private byte[] frame;
  private boolean isGivenUp; // there was no room for it
  private volatile boolean ended;

  /** @param start called once, when every earlier answer is out; sees to it that {@link #complete} is called */
  Answer(Call call, Consumer<Answer> start) {
    super(call.bodyBytes());
    this.call = call;
    this.start = start;
  }

  /** An answer that needs nobody else. */
  static Answer of(Call call, ApiMessage response) {
    return new Answer(call, answer -> answer.complete(response));
  }

  @Override
  protected void onOldest() {
    start.accept(this);
  }

  /**
   * Charges what the response will take as objects; without room for it the connection ends, and the client asks again.
   *
   * @return whether to go on
   */
  boolean reserve(long bytes) {
    if (isGivenUp) {
      return false;
    }
    if (call.services().memory().tryReserve(bytes)) {
      charge(call.services().memory(), bytes);
      return true;
    }
    giveUp(bytes);
    return false;
  }

  private void giveUp(long bytes) {
    isGivenUp = true;
    call.connection().abort(new IOException("no memory for an answer of some " + bytes + " bytes"));
  }

  /**
   * Has a response made that takes long, apart from the connection's thread, and written there too.
   *
   * @param bytes what it will take as objects
   */
  void make(long bytes, BatchCheck<ApiMessage> response) {
    MemoryBudget memory = call.services().memory();
    if (!memory.tryReserve(bytes)) {
      giveUp(bytes);
      return;
    }
    call.connection()
        .make(
            new Writing(call, response),
            bytes,
            (written, chargedBytes) -> {
              charge(memory, chargedBytes);
              written.frame().ifPresentOrElse(made -> frame = made, () -> giveUp(written.sizeBytes()));
            });
  }

  void complete(ApiMessage response) {
    complete(call.frame(response));
  }

  void complete(ResponseFrame response) {
    if (isGivenUp) {
      return;
    }
    if (response.sizeBytes() <= SMALL_BYTES || reserve(response.sizeBytes())) {
      frame = response.write();
    }
  }

  void waitFor(Waiting somebody) {
    waiting = somebody;
  }

  @Override
  protected void stopWaiting() {
    waiting.stop();
  }

  /** From any thread: whether the answer is not wanted any more. */
  boolean hasEnded() {
    return ended;
  }

  /** Whether the answer is known. */
  boolean isComplete() {
    return frame != null;
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (frame == null) {
      return false;
    }
    if (frame.length > SMALL_BYTES) {
      return out.addSlice(frame);
    }
    out.add(frame);
    return true;
  }

  @Override
  protected void release() {
    ended = true;
    waiting.end();
  }
}
