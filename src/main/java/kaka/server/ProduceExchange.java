package kaka.server;

import kaka.connection.AnswerBuffer;
import kaka.connection.Appends;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.protocol.ProduceAck;

/** A produce: answered when its partition has; its batch, and the charge for it, are the partition's. */
final class ProduceExchange extends Exchange implements Appends.Waiter {
  private static final long WAITING = -1;
  private static final long REFUSED = -2;

  private final Connection connection;
  private long baseOffset = WAITING;
  private byte[] error;

  ProduceExchange(Connection connection, int bodyBytes) {
    super(bodyBytes);
    this.connection = connection;
  }

  @Override
  public void stored(long baseOffset) {
    this.baseOffset = baseOffset;
  }

  @Override
  public void notStored(PartitionReply.NotStored reason) {
    refuse(Answers.error(reason));
  }

  @Override
  public void refused(PartitionHandle partition, Refusal reason) {
    if (reason == Refusal.CLOSED) {
      stopped(partition);
    } else {
      refuse(Answers.error(reason));
    }
  }

  @Override
  public void stopped(PartitionHandle partition) {
    refuse(Answers.unusable(connection.services().routes().table(), partition));
  }

  void refuse(byte[] error) {
    RefusalCount.count(connection, error);
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
