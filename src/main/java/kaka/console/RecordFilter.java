package kaka.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import kaka.record.RecordCursor;

/** Which records a search finds, told from their bytes where they stand. */
final class RecordFilter {
  private static final int MAX_HEADERS = 50;

  private final Optional<byte[]> key;
  private final Optional<byte[]> text; // ASCII letters small

  /**
   * @param key a key has to be just this
   * @param text has to be in the key, the value or a header's value, ASCII letters in any case
   */
  RecordFilter(Optional<String> key, Optional<String> text) {
    this.key = key.map(given -> given.getBytes(StandardCharsets.UTF_8));
    this.text = text.map(RecordFilter::smallBytes);
  }

  private static byte[] smallBytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = small(bytes[i]);
    }
    return bytes;
  }

  private static byte small(byte b) {
    return b >= 'A' && b <= 'Z' ? (byte) (b + 'a' - 'A') : b;
  }

  boolean takesAll() {
    return key.isEmpty() && text.isEmpty();
  }

  /** Whether it finds the record that the walk stands on. */
  boolean takes(RecordWalk walk) throws IOException {
    return (key.isEmpty() || isKey(walk.record(), key.get())) && (text.isEmpty() || hasText(walk, text.get()));
  }

  private static boolean isKey(RecordCursor record, byte[] key) {
    int from = record.keyPosition();
    return record.keySize() == key.length && Arrays.equals(record.array(), from, from + key.length, key, 0, key.length);
  }

  private static boolean hasText(RecordWalk walk, byte[] text) throws IOException {
    RecordCursor record = walk.record();
    if (contains(record.array(), record.keyPosition(), record.keySize(), text)
        || contains(record.array(), record.valuePosition(), record.valueSize(), text)) {
      return true;
    }
    for (RecordCursor.HeaderView header : walk.headers(MAX_HEADERS)) {
      if (contains(record.array(), header.valuePosition(), header.valueSize(), text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean contains(byte[] array, int from, int size, byte[] text) {
    for (int i = from; i <= from + size - text.length; i++) {
      int matched = 0;
      while (matched < text.length && small(array[i + matched]) == text[matched]) {
        matched++;
      }
      if (matched == text.length) {
        return true;
      }
    }
    return false;
  }
}
