package kaka.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import kaka.client.ConsumedRecord;

/** How a consumed record is printed: text with places for its parts, as in kcat. Keys and values are printed as they are. */
final class RecordFormat {
  private interface Part {
    void write(ConsumedRecord record, OutputStream out) throws IOException;
  }

  private final List<Part> parts;

  private RecordFormat(List<Part> parts) {
    this.parts = parts;
  }

  /** The value, then {@code separator}. */
  static RecordFormat valueThen(byte separator) {
    return new RecordFormat(List.of(RecordFormat::value, (record, out) -> out.write(separator)));
  }

  /**
   * Parses {@code %o} offset, {@code %t} time, {@code %T} time in milliseconds, {@code %p} partition, {@code %k} key,
   * {@code %v} value, {@code %s} topic, {@code %%}, and {@link Escapes}.
   *
   * @throws IllegalArgumentException for anything else after a % or a backslash
   */
  static RecordFormat parse(String format) {
    List<Part> parts = new ArrayList<>();
    int i = 0;
    while (i < format.length()) {
      int percent = format.indexOf('%', i);
      int end = percent < 0 ? format.length() : percent;
      byte[] literal = Escapes.bytes(format.substring(i, end));
      if (literal.length > 0) {
        parts.add((record, out) -> out.write(literal));
      }
      i = end;
      if (percent >= 0) {
        parts.add(part(percent + 1 < format.length() ? format.charAt(percent + 1) : ' '));
        i += 2;
      }
    }
    return new RecordFormat(List.copyOf(parts));
  }

  private static Part part(char letter) {
    return switch (letter) {
      case 'o' -> (record, out) -> ascii(Long.toString(record.offset()), out);
      case 't' -> (record, out) -> ascii(Instant.ofEpochMilli(record.timestampMs()).toString(), out);
      case 'T' -> (record, out) -> ascii(Long.toString(record.timestampMs()), out);
      case 'p' -> (record, out) -> ascii(Integer.toString(record.topicPartition().partition()), out);
      case 's' -> (record, out) -> ascii(record.topicPartition().topic(), out);
      case 'k' -> (record, out) -> bytes(record.key(), out);
      case 'v' -> RecordFormat::value;
      case '%' -> (record, out) -> out.write('%');
      default -> throw new IllegalArgumentException("%" + letter + ": expected one of %o %t %T %p %k %v %s %%");
    };
  }

  private static void value(ConsumedRecord record, OutputStream out) throws IOException {
    bytes(record.value(), out);
  }

  private static void bytes(byte[] bytes, OutputStream out) throws IOException {
    if (bytes != null) {
      out.write(bytes);
    }
  }

  private static void ascii(String text, OutputStream out) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  void write(ConsumedRecord record, OutputStream out) throws IOException {
    for (Part part : parts) {
      part.write(record, out);
    }
  }
}
