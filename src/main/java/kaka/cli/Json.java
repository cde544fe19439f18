package kaka.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** JSON text (RFC 8259), put together from parts that are JSON already. */
final class Json {
  private Json() {}

  static String object(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> string(field.getKey()) + ":" + field.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  static String array(List<String> elements) {
    return elements.stream().collect(Collectors.joining(",", "[", "]"));
  }

  static String string(String text) {
    StringBuilder json = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
