package kaka.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The offsets that a transaction has committed, as they stand in the record of its end; see {@link GroupEventCodec}. */
final class EndedOffsets {
  private static final int FIXED_BYTES = 16 + 4 + 8 + 4 + 8 + 2 + 2;

  private EndedOffsets() {}

  static byte[] encode(byte version, List<GroupEvent.OffsetCommitted> offsets) {
    int size = 5;
    for (GroupEvent.OffsetCommitted each : offsets) {
      size += FIXED_BYTES + utf8(each.group()).length + utf8(each.stored().metadata()).length;
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(version).putInt(offsets.size());
    for (GroupEvent.OffsetCommitted each : offsets) {
      UUID id = each.partition().topicId();
      out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).putInt(each.partition().partition());
      out.putLong(each.stored().offset()).putInt(each.stored().leaderEpoch()).putLong(each.stored().commitMs());
      put(out, utf8(each.group()));
      put(out, utf8(each.stored().metadata()));
    }
    return out.array();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ByteBuffer out, byte[] text) {
    out.putShort((short) text.length).put(text);
  }

  /** @throws java.nio.BufferUnderflowException if it is cut short */
  static List<GroupEvent.OffsetCommitted> decode(ByteBuffer in) {
    List<GroupEvent.OffsetCommitted> offsets = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      TopicIdPartition partition = new TopicIdPartition(new UUID(in.getLong(), in.getLong()), in.getInt());
      long offset = in.getLong();
      int leaderEpoch = in.getInt();
      long commitMs = in.getLong();
      String group = text(in);
      offsets.add(
          new GroupEvent.OffsetCommitted(group, partition, new StoredOffset(offset, leaderEpoch, text(in), commitMs)));
    }
    return offsets;
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining())];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
