package kaka.protocol;

/**
 * PRODUCE_ACK, type 0x81: the records are on disk. Body: {@code base_offset u64}.
 *
 * @param baseOffset what the first record got; the others follow without gap
 */
public record ProduceAck(long baseOffset) implements Response {
  /** Bytes of its frame. */
  public static final int FRAME_BYTES = 13;

  public ProduceAck {
    if (baseOffset < 0) {
      throw new IllegalArgumentException("baseOffset " + baseOffset);
    }
  }

  /** Writes the whole frame at {@code position} without making an object; returns the position after it. */
  public static int encodeFrame(byte[] into, int position, long baseOffset) {
    BigEndian.int32(into, position, FRAME_BYTES - 4);
    into[position + 4] = (byte) MessageType.PRODUCE_ACK;
    BigEndian.int64(into, position + 5, baseOffset);
    return position + FRAME_BYTES;
  }

  static ProduceAck decode(WireReader in) throws ProtocolException {
    long baseOffset = in.uint63("base_offset");
    in.end();
    return new ProduceAck(baseOffset);
  }

  @Override
  public int type() {
    return MessageType.PRODUCE_ACK;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(baseOffset);
  }
}
