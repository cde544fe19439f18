package kaka.server;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import kaka.connection.AnswerBuffer;
import kaka.connection.Exchange;
import kaka.partition.MemoryBudget;

/**
 * An answer that can be large though its request is small, made when its turn comes: what it takes is charged before it is
 * made, until it is written.
 */
final class ChargedExchange extends Exchange {
  /** Up to here it is copied to the other small answers, and let go at once. */
  private static final int SMALL_BYTES = 4 << 10;

  private final MemoryBudget memory;
  private final LongSupplier cost;
  private final Supplier<byte[]> answer;
  private byte[] frame = {};

  /**
   * @param cost bytes of memory that making and sending the answer takes, asked for just before {@code answer}
   * @param answer asked for once, on the connection's thread, when every earlier answer is out; must not block
   */
  ChargedExchange(int bodyBytes, MemoryBudget memory, LongSupplier cost, Supplier<byte[]> answer) {
    super(bodyBytes);
    this.memory = memory;
    this.cost = cost;
    this.answer = answer;
  }

  @Override
  protected void onOldest() {
    long bytes = cost.getAsLong();
    if (memory.tryReserve(bytes)) {
      charge(memory, bytes);
      frame = answer.get();
    } else {
      frame = Answers.noMemory();
    }
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (frame.length > SMALL_BYTES) {
      return out.addSlice(frame);
    }
    out.add(frame);
    return true;
  }
}
