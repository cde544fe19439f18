package kaka.group;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.UUID;
import kaka.log.EventCodec;
import kaka.record.Record;

/**
 * A {@link GroupEvent} as a record. The key says what it is about, the value what is so from now on; no value: it is removed.
 *
 * <pre>
 * key 1  offset  u8 1 | topic id 16 bytes | partition i32 | group utf-8
 *     value      u8 version 1 | offset i64 | leader epoch i32 | commit time i64 ms | metadata utf-8
 * key 2  group   u8 2 | group utf-8
 *     value      u8 version 1 | generation i32 | empty since i64 ms, -1: it has members | protocol type utf-8
 *                u8 version 2 | the same, of a group with epochs
 *     no value   the group, all its offsets and members
 * key 3  topic   u8 3 | topic id 16 bytes; never a value: all offsets in it
 * key 4  pending u8 4 | producer id i64 | topic id 16 bytes | partition i32 | group utf-8
 *     value      as of key 1; in force when the producer's transaction is committed
 * key 5  end     u8 5 | producer id i64
 *     value      u8 version 1 | n i32 | n x (topic id 16 bytes | partition i32 | offset i64 | leader epoch i32
 *                | commit time i64 ms | group length u16 | group utf-8 | metadata length u16 | metadata utf-8)
 * key 6  member  u8 6 | group length u16 | group utf-8 | member id utf-8
 *     value      {@link EpochMemberCodec}'s
 * </pre>
 */
final class GroupEventCodec implements EventCodec<GroupEvent> {
  private static final byte OFFSET = 1;
  private static final byte GROUP = 2;
  private static final byte TOPIC = 3;
  private static final byte PENDING = 4;
  private static final byte END = 5;
  private static final byte MEMBER = 6;
  private static final byte VERSION = 1;
  private static final byte WITH_EPOCHS = 2;
  private static final long HAS_MEMBERS = -1;

  @Override
  public byte[] key(GroupEvent event) {
    if (event instanceof GroupEvent.OffsetCommitted committed) {
      return offsetKey(committed.group(), committed.partition());
    } else if (event instanceof GroupEvent.OffsetRemoved removed) {
      return offsetKey(removed.group(), removed.partition());
    } else if (event instanceof GroupEvent.GroupChanged changed) {
      return groupKey(changed.group());
    } else if (event instanceof GroupEvent.GroupRemoved removed) {
      return groupKey(removed.group());
    } else if (event instanceof GroupEvent.TopicRemoved removed) {
      return put(ByteBuffer.allocate(17).put(TOPIC), removed.topicId()).array();
    } else if (event instanceof GroupEvent.OffsetPending pending) {
      byte[] name = pending.group().getBytes(StandardCharsets.UTF_8);
      ByteBuffer key = ByteBuffer.allocate(29 + name.length).put(PENDING).putLong(pending.producerId());
      return put(key, pending.partition().topicId()).putInt(pending.partition().partition()).put(name).array();
    } else if (event instanceof GroupEvent.TransactionEnded ended) {
      return ByteBuffer.allocate(9).put(END).putLong(ended.producerId()).array();
    }
    if (event instanceof GroupEvent.MemberChanged changed) {
      return memberKey(changed.group(), changed.member().id());
    } else if (event instanceof GroupEvent.MemberRemoved removed) {
      return memberKey(removed.group(), removed.memberId());
    }
    throw new IllegalArgumentException("no key for " + event);
  }

  private static byte[] offsetKey(String group, TopicIdPartition partition) {
    byte[] name = group.getBytes(StandardCharsets.UTF_8);
    ByteBuffer key = ByteBuffer.allocate(21 + name.length).put(OFFSET);
    return put(key, partition.topicId()).putInt(partition.partition()).put(name).array();
  }

  private static byte[] memberKey(String group, String memberId) {
    byte[] name = group.getBytes(StandardCharsets.UTF_8);
    byte[] id = memberId.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(3 + name.length + id.length).put(MEMBER).putShort((short) name.length).put(name).put(id).array();
  }

  private static byte[] groupKey(String group) {
    byte[] name = group.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + name.length).put(GROUP).put(name).array();
  }

  private static ByteBuffer put(ByteBuffer target, UUID id) {
    return target.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  /** Null, a tombstone, where something is removed. */
  @Override
  public byte[] value(GroupEvent event) {
    if (event instanceof GroupEvent.OffsetCommitted committed) {
      return offsetValue(committed.stored());
    } else if (event instanceof GroupEvent.OffsetPending pending) {
      return offsetValue(pending.stored());
    } else if (event instanceof GroupEvent.TransactionEnded ended) {
      return EndedOffsets.encode(VERSION, ended.committed());
    } else if (event instanceof GroupEvent.GroupChanged changed) {
      byte[] type = changed.protocolType().getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(13 + type.length)
          .put(changed.type() == GroupType.CONSUMER ? WITH_EPOCHS : VERSION)
          .putInt(changed.generation())
          .putLong(changed.emptySinceMs().orElse(HAS_MEMBERS))
          .put(type)
          .array();
    }
    return event instanceof GroupEvent.MemberChanged changed ? EpochMemberCodec.encode(changed.member()) : null;
  }

  private static byte[] offsetValue(StoredOffset stored) {
    byte[] metadata = stored.metadata().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(21 + metadata.length)
        .put(VERSION)
        .putLong(stored.offset())
        .putInt(stored.leaderEpoch())
        .putLong(stored.commitMs())
        .put(metadata)
        .array();
  }

  /** @throws IOException if it is no event that this version knows: nobody may guess what groups have committed */
  @Override
  public GroupEvent parse(Record record) throws IOException {
    byte[] keyBytes = record.key() == null ? new byte[0] : record.key();
    ByteBuffer key = ByteBuffer.wrap(keyBytes);
    ByteBuffer value = record.value() == null ? null : ByteBuffer.wrap(record.value());
    try {
      byte kind = key.get();
      switch (kind) {
        case OFFSET:
          TopicIdPartition partition = new TopicIdPartition(uuid(key), key.getInt());
          return offset(rest(key), partition, value);
        case GROUP:
          return group(rest(key), value);
        case TOPIC:
          return new GroupEvent.TopicRemoved(uuid(key));
        case PENDING:
          long producerId = key.getLong();
          TopicIdPartition of = new TopicIdPartition(uuid(key), key.getInt());
          if (!(offset(rest(key), of, value) instanceof GroupEvent.OffsetCommitted open)) {
            throw new IOException("a pending offset without a value");
          }
          return new GroupEvent.OffsetPending(producerId, open.group(), open.partition(), open.stored());
        case END:
          if (value == null) {
            throw new IOException("the end of a transaction without a value");
          }
          checkVersion(value);
          return new GroupEvent.TransactionEnded(key.getLong(), EndedOffsets.decode(value));
        case MEMBER:
          byte[] name = new byte[Math.min(Short.toUnsignedInt(key.getShort()), key.remaining())];
          key.get(name);
          return member(new String(name, StandardCharsets.UTF_8), rest(key), value);
        default:
          throw new IOException("unknown group event " + kind);
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException("not a group event: " + e, e);
    }
  }

  @Override
  public long sizeOf(GroupEvent event) {
    return CommittedOffsets.costOf(event);
  }

  private static GroupEvent offset(String group, TopicIdPartition partition, ByteBuffer value) throws IOException {
    if (value == null) {
      return new GroupEvent.OffsetRemoved(group, partition);
    }
    checkVersion(value);
    long offset = value.getLong();
    int leaderEpoch = value.getInt();
    long commitMs = value.getLong();
    return new GroupEvent.OffsetCommitted(group, partition, new StoredOffset(offset, leaderEpoch, rest(value), commitMs));
  }

  private static GroupEvent member(String group, String id, ByteBuffer value) throws IOException {
    return value == null
        ? new GroupEvent.MemberRemoved(group, id)
        : new GroupEvent.MemberChanged(group, EpochMemberCodec.decode(id, value));
  }

  private static GroupEvent group(String group, ByteBuffer value) throws IOException {
    if (value == null) {
      return new GroupEvent.GroupRemoved(group);
    }
    boolean isWithEpochs = value.get(value.position()) == WITH_EPOCHS;
    if (isWithEpochs) {
      value.get();
    } else {
      checkVersion(value);
    }
    int generation = value.getInt();
    long emptySinceMs = value.getLong();
    OptionalLong since = emptySinceMs == HAS_MEMBERS ? OptionalLong.empty() : OptionalLong.of(emptySinceMs);
    GroupType type = isWithEpochs ? GroupType.CONSUMER : GroupType.CLASSIC;
    return new GroupEvent.GroupChanged(group, generation, rest(value), since, type);
  }

  private static void checkVersion(ByteBuffer value) throws IOException {
    byte version = value.get();
    if (version != VERSION) {
      throw new IOException("group event of version " + version + ", this kaka knows " + VERSION);
    }
  }

  private static UUID uuid(ByteBuffer in) {
    return new UUID(in.getLong(), in.getLong());
  }

  private static String rest(ByteBuffer in) {
    return new String(in.array(), in.position(), in.remaining(), StandardCharsets.UTF_8);
  }
}
