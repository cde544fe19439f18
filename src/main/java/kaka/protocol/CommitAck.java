package kaka.protocol;

/** COMMIT_ACK, type 0x83: the commit is on disk. Its body is empty. */
public record CommitAck() implements Response {
  static CommitAck decode(WireReader in) throws ProtocolException {
    in.end();
    return new CommitAck();
  }

  @Override
  public int type() {
    return MessageType.COMMIT_ACK;
  }

  @Override
  public void encode(WireWriter out) {}
}
