package kaka.protocol;

import java.util.OptionalLong;

/**
 * OFFSET, type 0x84: answers OFFSETS. Body: {@code offset u64}, 0xffffffffffffffff where the group has committed none.
 *
 * @param offset what was committed last, at least 0, or empty
 */
public record CommittedOffset(OptionalLong offset) implements Response {
  private static final long NONE = -1;

  public CommittedOffset {
    if (offset.isPresent() && offset.getAsLong() < 0) {
      throw new IllegalArgumentException("offset " + offset.getAsLong());
    }
  }

  static CommittedOffset decode(WireReader in) throws ProtocolException {
    if (in.isNextInt64(NONE)) {
      in.int64(NONE, "offset");
      in.end();
      return new CommittedOffset(OptionalLong.empty());
    }
    long offset = in.uint63("offset");
    in.end();
    return new CommittedOffset(OptionalLong.of(offset));
  }

  @Override
  public int type() {
    return MessageType.OFFSET;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(offset.orElse(NONE));
  }
}
