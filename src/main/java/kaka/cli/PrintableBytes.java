package kaka.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** Any bytes as text that no terminal stumbles over. */
final class PrintableBytes {
  private PrintableBytes() {}

  /** In quotes; whatever is not printable UTF-8 as {@link Escapes} has it. {@code null} for none. */
  static String quoted(byte[] bytes) {
    if (bytes == null) {
      return "null";
    }
    StringBuilder text = new StringBuilder(bytes.length + 2).append('"');
    Optional<String> decoded = decoded(bytes);
    if (decoded.isPresent()) {
      decoded.get().codePoints().forEach(c -> append(c, text));
    } else {
      for (byte b : bytes) {
        append(b >= 0 ? b : -1 - (b & 0xff), text);
      }
    }
    return text.append('"').toString();
  }

  /** @param c a code point, or -1 minus a byte that is none */
  private static void append(int c, StringBuilder text) {
    switch (c) {
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      case '\t' -> text.append("\\t");
      case '\\' -> text.append("\\\\");
      case '"' -> text.append("\\x22");
      default -> {
        if (c < 0 || c < ' ' || c == 0x7f) {
          text.append(String.format("\\x%02x", c < 0 ? -1 - c : c));
        } else if (Character.getType(c) == Character.CONTROL
            || Character.getType(c) == Character.FORMAT
            || Character.getType(c) == Character.SURROGATE) {
          for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
            text.append(String.format("\\x%02x", b & 0xff));
          }
        } else {
          text.appendCodePoint(c);
        }
      }
    }
  }

  /** Adds {@code name} as a JSON string if the bytes are UTF-8, else {@code nameBase64}; null for none. */
  static void json(String name, byte[] bytes, Map<String, String> fields) {
    if (bytes == null) {
      fields.put(name, "null");
      return;
    }
    Optional<String> text = decoded(bytes);
    if (text.isPresent()) {
      fields.put(name, Json.string(text.get()));
    } else {
      fields.put(name + "Base64", Json.string(Base64.getEncoder().encodeToString(bytes)));
    }
  }

  private static Optional<String> decoded(byte[] bytes) {
    try {
      return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }
}
