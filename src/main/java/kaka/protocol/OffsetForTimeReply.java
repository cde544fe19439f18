package kaka.protocol;

/**
 * OFFSET_FOR_TIME, type 0x8a. Body: {@code offset u64}.
 *
 * @param offset of the first record whose timestamp is at least the one asked for; the high watermark if there is none
 */
public record OffsetForTimeReply(long offset) implements Response {
  public OffsetForTimeReply {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset);
    }
  }

  static OffsetForTimeReply decode(WireReader in) throws ProtocolException {
    long offset = in.uint63("offset");
    in.end();
    return new OffsetForTimeReply(offset);
  }

  @Override
  public int type() {
    return MessageType.OFFSET_FOR_TIME_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(offset);
  }
}
