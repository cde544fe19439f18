package kaka.group;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * An {@link EpochMember} as the value of its record; its id stands in the key.
 *
 * <pre>
 * u8 version 1 | epoch i32 | previous epoch i32 | rebalance timeout i32 ms | client id string | client host string
 * | instance id text | rack id text | pattern text | assignor text
 * | n i32 | n x topic string                                      subscribed
 * | n i32 | n x (topic id 16 bytes | m i32 | m x partition i32)   assigned
 * | the same                                                      to give up
 * | the same                                                      owned, as it says
 *
 * string: length u16, UTF-8; text: a string that is not there if it is empty
 * </pre>
 */
final class EpochMemberCodec {
  private static final byte VERSION = 1;

  private EpochMemberCodec() {}

  static byte[] encode(EpochMember member) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeInt(member.epoch());
      out.writeInt(member.previousEpoch());
      out.writeInt(member.rebalanceTimeoutMs());
      write(out, member.clientId());
      write(out, member.clientHost());
      EpochMember.Subscription subscription = member.subscription();
      for (Optional<String> text :
          List.of(member.instanceId(), member.rackId(), subscription.pattern(), subscription.assignor())) {
        write(out, text.orElse(""));
      }
      out.writeInt(subscription.topics().size());
      for (String topic : subscription.topics()) {
        write(out, topic);
      }
      write(out, member.assigned());
      write(out, member.revoking());
      write(out, member.owned());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  private static void write(DataOutputStream out, PartitionSet partitions) throws IOException {
    out.writeInt(partitions.topicIds().size());
    for (UUID topic : partitions.topicIds()) {
      out.writeLong(topic.getMostSignificantBits());
      out.writeLong(topic.getLeastSignificantBits());
      int[] numbers = partitions.of(topic);
      out.writeInt(numbers.length);
      for (int number : numbers) {
        out.writeInt(number);
      }
    }
  }

  /**
   * @throws BufferUnderflowException if it is cut short
   * @throws IOException if it is of another version
   */
  static EpochMember decode(String id, ByteBuffer in) throws IOException {
    byte version = in.get();
    if (version != VERSION) {
      throw new IOException("group member of version " + version + ", this kaka knows " + VERSION);
    }
    int epoch = in.getInt();
    int previousEpoch = in.getInt();
    int rebalanceTimeoutMs = in.getInt();
    String clientId = string(in);
    String clientHost = string(in);
    Optional<String> instanceId = text(in);
    Optional<String> rackId = text(in);
    Optional<String> pattern = text(in);
    Optional<String> assignor = text(in);
    int topicCount = count(in, 2);
    List<String> topics = new ArrayList<>(topicCount);
    for (int i = 0; i < topicCount; i++) {
      topics.add(string(in));
    }
    return new EpochMember(
        id,
        instanceId,
        rackId,
        clientId,
        clientHost,
        rebalanceTimeoutMs,
        new EpochMember.Subscription(topics, pattern, assignor),
        epoch,
        previousEpoch,
        partitions(in),
        partitions(in),
        partitions(in));
  }

  private static PartitionSet partitions(ByteBuffer in) {
    Map<UUID, List<Integer>> partitions = new HashMap<>();
    for (int left = count(in, 20); left > 0; left--) {
      UUID topic = new UUID(in.getLong(), in.getLong());
      int count = count(in, 4);
      List<Integer> numbers = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        numbers.add(in.getInt());
      }
      partitions.put(topic, numbers);
    }
    return PartitionSet.of(partitions);
  }

  /** A number of things that take {@code leastBytes} each. */
  private static int count(ByteBuffer in, int leastBytes) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / leastBytes) {
      throw new BufferUnderflowException();
    }
    return count;
  }

  private static Optional<String> text(ByteBuffer in) {
    return Optional.of(string(in)).filter(text -> !text.isEmpty());
  }

  private static String string(ByteBuffer in) {
    int size = Short.toUnsignedInt(in.getShort());
    if (size > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[size];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
