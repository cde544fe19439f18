package kaka.server;

import kaka.connection.AnswerBuffer;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.protocol.ErrorCode;
import kaka.protocol.HelloReply;
import kaka.protocol.ProducerIdentity;

/** A HELLO that asks for a producer id, which now and then takes a file operation. */
final class ProducerIdExchange extends Exchange {
  private final Connection connection;
  private final HelloReply reply;
  private byte[] frame;

  /** @param reply what is answered besides the id */
  ProducerIdExchange(Connection connection, HelloReply reply, int bodyBytes) {
    super(bodyBytes);
    this.connection = connection;
    this.reply = reply;
  }

  @Override
  protected void onOldest() {
    connection.read(
        () -> connection.services().producerIds().next(),
        id -> frame = reply.withProducer(new ProducerIdentity(id, (short) 0)).toFrame(),
        failure -> frame = Answers.error(ErrorCode.STORAGE, failure.getMessage()));
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    if (frame == null) {
      return false;
    }
    out.add(frame);
    return true;
  }
}
