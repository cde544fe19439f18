package kaka.server;

import kaka.partition.MemoryBudget;
import kaka.protocol.ProduceAck;

/** A produce: answered when its partition has, charged to the memory budget until then. */
final class ProduceExchange extends Exchange {
  private static final long WAITING = -1;
  private static final long REFUSED = -2;

  private final MemoryBudget memory;
  private final int batchBytes;
  private long baseOffset = WAITING;
  private byte[] error;

  /** @param batchBytes what was reserved of {@code memory} for it; released with the exchange */
  ProduceExchange(int requestBytes, MemoryBudget memory, int batchBytes) {
    super(requestBytes);
    this.memory = memory;
    this.batchBytes = batchBytes;
  }

  void acknowledge(long baseOffset) {
    this.baseOffset = baseOffset;
  }

  void refuse(byte[] error) {
    this.baseOffset = REFUSED;
    this.error = error;
  }

  @Override
  boolean writeTo(AnswerBuffer out) {
    if (baseOffset == WAITING) {
      return false;
    }
    if (baseOffset == REFUSED) {
      out.add(error);
    } else {
      int at = out.reserve(ProduceAck.FRAME_BYTES);
      ProduceAck.encodeFrame(out.array(), at, baseOffset);
    }
    return true;
  }

  @Override
  void release() {
    memory.release(batchBytes);
  }
}
