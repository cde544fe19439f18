package kaka.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Backslash escapes in arguments: {@code \n \r \t \0 \\ \xHH}; everything else is its UTF-8 bytes. */
final class Escapes {
  private Escapes() {}

  /**
   * The bytes that {@code text} stands for.
   *
   * @throws IllegalArgumentException for an unknown escape
   */
  static byte[] bytes(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int i = 0;
    while (i < text.length()) {
      int next = text.indexOf('\\', i);
      int end = next < 0 ? text.length() : next;
      bytes.writeBytes(text.substring(i, end).getBytes(StandardCharsets.UTF_8));
      i = end;
      if (next >= 0) {
        i += escape(text, next, bytes);
      }
    }
    return bytes.toByteArray();
  }

  /** Writes the one at {@code at}; returns how many characters it takes. */
  private static int escape(String text, int at, ByteArrayOutputStream bytes) {
    char kind = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
    switch (kind) {
      case 'n' -> bytes.write('\n');
      case 'r' -> bytes.write('\r');
      case 't' -> bytes.write('\t');
      case '0' -> bytes.write(0);
      case '\\' -> bytes.write('\\');
      case 'x' -> {
        bytes.write(hex(text, at));
        return 4;
      }
      default -> throw new IllegalArgumentException("expected \\n, \\r, \\t, \\0, \\\\ or \\xHH");
    }
    return 2;
  }

  private static int hex(String text, int at) {
    String digits = text.substring(at + 2, Math.min(text.length(), at + 4));
    if (!digits.matches("[0-9a-fA-F]{2}")) {
      throw new IllegalArgumentException("expected two hexadecimal digits after \\x");
    }
    return Integer.parseInt(digits, 16);
  }
}
