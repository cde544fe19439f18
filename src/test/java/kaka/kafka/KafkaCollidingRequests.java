package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Names that Kafka's collections want to put in one place, and requests with such elements, written by Kafka's schemas: its classes would
 * take as long to make as to read.
 */
final class KafkaCollidingRequests {
  private KafkaCollidingRequests() {}

  /** The one of that number, from 0 on, whose hash is that of all others: {@code Aa} and {@code BB} have the same, and so has any row of them. */
  static String ofOneHash(int number) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 17; bit++) {
      name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  static List<String> ofOneHash(int from, int to) {
    List<String> names = new ArrayList<>();
    for (int i = from; i < to; i++) {
      names.add(ofOneHash(i));
    }
    return names;
  }

  /** The text with that hash, at least 0: its digits to the base of 31, as characters. */
  static String ofHash(long hash) {
    StringBuilder name = new StringBuilder();
    for (long left = hash; left > 0; left /= 31) {
      name.append((char) (left % 31));
    }
    return name.reverse().toString();
  }

  /** Arrays of that schema, however deep, whose elements are structures. */
  static List<String> arrays(Schema schema) {
    List<String> names = new ArrayList<>();
    for (BoundField field : schema.fields()) {
      if (field.def.type.isArray() && field.def.type.arrayElementType().orElseThrow() instanceof Schema element) {
        names.add(field.def.name);
        names.addAll(arrays(element));
      }
    }
    return names;
  }

  /** The request with {@code count} elements in the array of that name, all fields by number and else as empty as can be. */
  static ByteBuffer request(ApiKeys key, int version, String array, int count, Filling filling) {
    Schema schema = key.messageType.requestSchemas()[version];
    Struct body = (Struct) filled(schema, array, count, filling);
    RequestHeaderData header =
        new RequestHeaderData().setRequestApiKey(key.id).setRequestApiVersion((short) version).setCorrelationId(1).setClientId("test");
    short headerVersion = key.requestHeaderVersion((short) version);
    ObjectSerializationCache cache = new ObjectSerializationCache();
    MessageSizeAccumulator size = new MessageSizeAccumulator();
    header.addSize(size, cache, headerVersion);
    ByteBuffer bytes = ByteBuffer.allocate(size.totalSize() + schema.sizeOf(body));
    header.write(new ByteBufferAccessor(bytes), cache, headerVersion);
    schema.write(bytes, body);
    return bytes.flip();
  }

  /** The value of a field of an element, or nothing that is not usual. */
  @FunctionalInterface
  interface Filling {
    Object value(String field, Type type, int number);
  }

  private static Object filled(Type type, String array, int count, Filling filling) {
    Schema schema = (Schema) type;
    Struct struct = new Struct(schema);
    for (BoundField field : schema.fields()) {
      struct.set(field.def.name, value(field.def, array, count, filling));
    }
    return struct;
  }

  private static Object value(Field field, String array, int count, Filling filling) {
    if (!field.type.isArray()) {
      return usual(field.type);
    }
    Type element = field.type.arrayElementType().orElseThrow();
    if (field.name.equals(array)) {
      return elements(count, number -> element((Schema) element, filling, number));
    }
    boolean isAround = element instanceof Schema schema && arrays(schema).contains(array);
    return isAround ? new Object[] {filled(element, array, count, filling)} : new Object[0];
  }

  private static Object[] elements(int count, IntFunction<Object> element) {
    Object[] elements = new Object[count];
    java.util.Arrays.setAll(elements, element);
    return elements;
  }

  private static Object element(Schema schema, Filling filling, int number) {
    Struct struct = new Struct(schema);
    for (BoundField field : schema.fields()) {
      Object value = field.def.type.isArray() ? new Object[0] : filling.value(field.def.name, field.def.type, number);
      struct.set(field.def.name, value == null ? usual(field.def.type) : value);
    }
    return struct;
  }

  private static Object usual(Type type) {
    if (type instanceof TaggedFields) {
      return new java.util.TreeMap<Integer, Object>();
    }
    return isText(type)
        ? "same"
        : type == Type.INT8
            ? (Object) (byte) 2
            : type == Type.INT16
                ? (Object) (short) 1
                : type == Type.INT32
                    ? (Object) 1
                    : type == Type.INT64
                        ? (Object) 1L
                        : type == Type.BOOLEAN ? (Object) true : type == Type.UUID ? new Uuid(1, 1) : bytes(type);
  }

  static boolean isText(Type type) {
    return List.of(Type.STRING, Type.COMPACT_STRING, Type.NULLABLE_STRING, Type.COMPACT_NULLABLE_STRING).contains(type);
  }

  private static Object bytes(Type type) {
    return type.isNullable() ? null : ByteBuffer.allocate(0);
  }

  /** Every text of an element is one of those, by its number. */
  static Filling texts(IntFunction<String> text) {
    return (field, type, number) -> isText(type) ? text.apply(number) : null;
  }

  static ByteBuffer framed(ByteBuffer request) {
    return ByteBuffer.allocate(4 + request.remaining()).putInt(request.remaining()).put(request.duplicate()).flip();
  }

  static Collection<String> ordinary(int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add("orders-of-region-" + i);
    }
    return names;
  }
}
