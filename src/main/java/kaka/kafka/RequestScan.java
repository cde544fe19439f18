package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Looks through a request, by Kafka's own schema of it and without keeping anything, for what making objects of it would take: see
 * {@link HashedArrays}. Only for requests that have such arrays.
 */
final class RequestScan {
  /** What is let pass: some tens of milliseconds. Elements that a client did not choose for their hashes take a few steps each. */
  static final long MAX_STEPS = 64_000_000;

  /** What a field is taken for, and a step, in the measure of {@link RequestReader}. */
  private static final int BYTES_PER_FIELD = 64;

  private static final int BYTES_PER_STEP = 8;

  /** A request would take more than {@link #MAX_STEPS}. */
  static final class TooManyStepsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private TooManyStepsException(String array) {
      super("too many elements of " + array + " whose hashes collide", null, false, false);
    }
  }

  private final ByteBuffer in;
  private final ByteBufferAccessor numbers; // of the same bytes
  private final Map<String, List<String>> hashed;
  private final LongConsumer worked;
  private long steps;

  private RequestScan(ByteBuffer in, Map<String, List<String>> hashed, LongConsumer worked) {
    this.in = in;
    this.numbers = new ByteBufferAccessor(in);
    this.hashed = hashed;
    this.worked = worked;
  }

  /**
   * Throws what Kafka's schemas do if the bytes are not what they should be.
   *
   * @param body what comes after the header
   * @param worked told of what was looked at, as {@link RequestReader} does; what it throws is let through
   * @throws TooManyStepsException if the request is one that nobody sends but to keep the broker busy
   */
  static void check(ApiKeys key, short version, ByteBuffer body, LongConsumer worked) {
    new RequestScan(body, HashedArrays.of(key), worked).scan(key.messageType.requestSchemas()[version], List.of());
  }

  /** Returns what Kafka's class for it has as its hash, if these are its keys. */
  private int scan(Schema schema, List<String> keys) {
    int hash = 0;
    int next = 0; // of the keys
    for (BoundField field : schema.fields()) {
      Type type = field.def.type;
      if (type instanceof TaggedFields) {
        skipTagged();
      } else if (type.isArray()) {
        scanArray(field.def.name, type);
      } else {
        Object value = read(type);
        int key = keys.indexOf(field.def.name);
        if (key >= 0) {
          for (; next < key; next++) {
            hash *= 31; // one that this version has not: it is empty, or zero
          }
          hash = 31 * hash + Objects.hashCode(value);
          next++;
        }
      }
    }
    for (; next < keys.size(); next++) {
      hash *= 31;
    }
    return hash;
  }

  private void scanArray(String name, Type type) {
    int count = type instanceof ArrayOf ? in.getInt() : numbers.readUnsignedVarint() - 1;
    if (count > Math.min(RequestReader.MAX_ELEMENTS, in.remaining())) {
      throw new IllegalArgumentException(count + " elements of " + name);
    }
    Type element = type.arrayElementType().orElseThrow();
    List<String> keys = hashed.getOrDefault(name, List.of());
    int[] hashes = {};
    for (int i = 0; i < count; i++) {
      worked.accept(BYTES_PER_FIELD);
      if (element instanceof Schema schema) {
        int hash = scan(schema, keys);
        if (!keys.isEmpty()) {
          hashes = i < hashes.length ? hashes : Arrays.copyOf(hashes, Math.min(count, 2 * i + 16));
          hashes[i] = hash;
        }
      } else {
        read(element);
      }
    }
    if (!keys.isEmpty() && count > 0) {
      Probing.count(hashes, count, more -> step(name, more));
    }
  }

  /** Of a text, what it takes to have it as one; what else has a length is not looked at. */
  private Object read(Type type) {
    int from = in.position();
    Object value = type.read(in);
    worked.accept(BYTES_PER_FIELD + (value instanceof String ? (long) (in.position() - from) * RequestReader.BYTES_PER_TEXT_BYTE : 0));
    return value;
  }

  private void step(String array, long more) {
    steps += more;
    if (steps > MAX_STEPS) {
      throw new TooManyStepsException(array);
    }
    worked.accept(more * BYTES_PER_STEP);
  }

  private void skipTagged() {
    int count = numbers.readUnsignedVarint();
    for (int i = 0; i < count; i++) {
      worked.accept(BYTES_PER_FIELD);
      numbers.readUnsignedVarint();
      int size = numbers.readUnsignedVarint();
      if (size < 0 || size > in.remaining()) {
        throw new IllegalArgumentException("tagged field of " + size + " bytes");
      }
      in.position(in.position() + size);
    }
  }
}
