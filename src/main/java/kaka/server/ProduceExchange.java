package kaka.server;

import kaka.connection.AnswerBuffer;
import kaka.connection.Exchange;
import kaka.protocol.ProduceAck;

/** A produce: answered when its partition has; its batch, and the charge for it, are the partition's. */
final class ProduceExchange extends Exchange {
  private static final long WAITING = -1;
  private static final long REFUSED = -2;

  private long baseOffset = WAITING;
  private byte[] error;

  ProduceExchange(int bodyBytes) {
    super(bodyBytes);
  }

  void acknowledge(long baseOffset) {
    this.baseOffset = baseOffset;
  }

  void refuse(byte[] error) {
    this.baseOffset = REFUSED;
    this.error = error;
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
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
}
