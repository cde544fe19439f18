package kaka.console;

import java.util.List;

/** JSON text (RFC 8259) of an object, put together field by field. */
final class JsonObject {
  private final StringBuilder json = new StringBuilder("{");

  JsonObject put(String name, String text) {
    return putJson(name, string(text));
  }

  JsonObject put(String name, long number) {
    return putJson(name, Long.toString(number));
  }

  JsonObject put(String name, boolean flag) {
    return putJson(name, Boolean.toString(flag));
  }

  JsonObject put(String name, JsonObject object) {
    return putJson(name, object.toString());
  }

  /** @param elements JSON each */
  JsonObject put(String name, List<String> elements) {
    return putJson(name, "[" + String.join(",", elements) + "]");
  }

  private JsonObject putJson(String name, String value) {
    json.append(json.length() > 1 ? "," : "").append(string(name)).append(':').append(value);
    return this;
  }

  @Override
  public String toString() {
    return json + "}";
  }

  static String string(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
