package kaka.group;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What members of groups of protocol type {@code consumer} put into their opaque bytes, by Kafka's {@code
 * ConsumerProtocolSubscription} and {@code ConsumerProtocolAssignment}, version 0. The native protocol's members use it too,
 * so both kinds can be in one group.
 *
 * <pre>
 * subscription  version i16 | n i32 | n x topic string | user data bytes
 * assignment    version i16 | n i32 | n x (topic string | m i32 | m x partition i32) | user data bytes
 *               string: length u16, UTF-8; bytes: length i32, -1 for null
 * </pre>
 *
 * Later versions add fields behind these, which are passed over.
 */
public final class ConsumerProtocol {
  /** The protocol type of groups that read topics. */
  public static final String TYPE = "consumer";

  private ConsumerProtocol() {}

  public static Opaque subscription(Collection<String> topics) {
    return write(
        out -> {
          out.writeInt(topics.size());
          for (String topic : topics) {
            writeString(out, topic);
          }
        });
  }

  public static Opaque assignment(Map<String, ? extends Collection<Integer>> partitions) {
    return write(
        out -> {
          out.writeInt(partitions.size());
          for (Map.Entry<String, ? extends Collection<Integer>> topic : partitions.entrySet()) {
            writeString(out, topic.getKey());
            out.writeInt(topic.getValue().size());
            for (int partition : topic.getValue()) {
              out.writeInt(partition);
            }
          }
        });
  }

  /** The topics of a subscription; empty if these bytes are none. */
  public static Optional<List<String>> topics(Opaque subscription) {
    ByteBuffer in = ByteBuffer.wrap(subscription.toByteArray());
    try {
      in.getShort();
      int count = count(in, 2);
      TreeSet<String> topics = new TreeSet<>();
      for (int i = 0; i < count; i++) {
        topics.add(readString(in));
      }
      return Optional.of(List.copyOf(topics));
    } catch (BufferUnderflowException e) {
      return Optional.empty();
    }
  }

  /** Partitions by topic of an assignment; empty if these bytes are none. */
  public static Optional<TreeMap<String, List<Integer>>> partitions(Opaque assignment) {
    TreeMap<String, List<Integer>> partitions = new TreeMap<>();
    if (assignment.sizeBytes() == 0) { // Kafka's word for nothing
      return Optional.of(partitions);
    }
    ByteBuffer in = ByteBuffer.wrap(assignment.toByteArray());
    try {
      in.getShort();
      int topicCount = count(in, 6);
      for (int i = 0; i < topicCount; i++) {
        String topic = readString(in);
        int count = count(in, 4);
        List<Integer> numbers = new ArrayList<>(count);
        for (int j = 0; j < count; j++) {
          numbers.add(in.getInt());
        }
        partitions.put(topic, numbers);
      }
      return Optional.of(partitions);
    } catch (BufferUnderflowException e) {
      return Optional.empty();
    }
  }

  /** A number of things that take {@code leastBytes} each, so that nothing is allocated that the bytes cannot hold. */
  private static int count(ByteBuffer in, int leastBytes) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / leastBytes) {
      throw new BufferUnderflowException();
    }
    return count;
  }

  private static String readString(ByteBuffer in) {
    int size = Short.toUnsignedInt(in.getShort());
    if (size > in.remaining()) {
      throw new BufferUnderflowException();
    }
    String text = new String(in.array(), in.position(), size, StandardCharsets.UTF_8);
    in.position(in.position() + size);
    return text;
  }

  @FunctionalInterface
  private interface Body {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static Opaque write(Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(0);
      body.writeTo(out);
      out.writeInt(-1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Opaque.of(bytes.toByteArray());
  }

  private static void writeString(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }
}
