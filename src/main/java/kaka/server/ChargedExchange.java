package kaka.server;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import kaka.connection.AnswerBuffer;
import kaka.connection.BatchCheck;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.partition.MemoryBudget;

/**
 * An answer that can be large though its request is small, made when its turn comes: what it takes is charged before it is
 * made, until it is written.
 */
final class ChargedExchange extends Exchange {
  /** Up to here it is copied to the other small answers, and let go at once. */
  private static final int SMALL_BYTES = 4 << 10;

  /** One that takes more is not made on the connection's thread. */
  private static final int FEW_BYTES = 256 << 10;

  private final Connection connection;
  private final LongSupplier cost;
  private final Supplier<byte[]> answer;
  private byte[] frame; // null until it is made

  /**
   * @param cost bytes of memory that making and sending the answer takes, asked for just before {@code answer}
   * @param answer asked for once, when every earlier answer is out, on the connection's thread or another; must not block
   */
  ChargedExchange(int bodyBytes, Connection connection, LongSupplier cost, Supplier<byte[]> answer) {
    super(bodyBytes);
    this.connection = connection;
    this.cost = cost;
    this.answer = answer;
  }

  @Override
  protected void onOldest() {
    long bytes = cost.getAsLong();
    MemoryBudget memory = connection.services().memory();
    if (!memory.tryReserve(bytes)) {
      frame = Answers.noMemory();
      return;
    }
    if (bytes <= FEW_BYTES) {
      charge(memory, bytes);
      frame = answer.get();
    } else {
      connection.make(
          BatchCheck.whole(allowance -> answer.get()),
          bytes,
          (made, chargedBytes) -> {
            charge(memory, chargedBytes);
            frame = made;
          });
    }
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
}
