package kaka.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** The fields of a JSON object in a request. What is not as it has to be is refused with the field's name. */
final class JsonFields {
  private final String path;
  private final Map<String, Object> fields;

  /** @param path where the object stands in the body, for messages; empty for the whole */
  JsonFields(String path, Map<String, Object> fields) {
    this.path = path;
    this.fields = fields;
  }

  /** Refuses what nobody looks at: a misspelt field would seem to be in force. */
  JsonFields only(String... names) {
    Set<String> others = new TreeSet<>(fields.keySet());
    others.removeAll(Set.of(names));
    if (!others.isEmpty()) {
      throw ApiError.badRequest(at(others.iterator().next()) + ": unknown field; there are " + String.join(", ", names));
    }
    return this;
  }

  /** Whether it is there and not null. */
  boolean has(String name) {
    return fields.get(name) != null;
  }

  Optional<String> text(String name) {
    Object value = fields.get(name);
    if (value == null || value instanceof String) {
      return Optional.ofNullable((String) value);
    }
    throw expected(name, "a string");
  }

  String needText(String name) {
    return text(name).orElseThrow(() -> expected(name, "a string"));
  }

  OptionalLong number(String name, long least, long most) {
    Object value = fields.get(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (value instanceof Long number && number >= least && number <= most) {
      return OptionalLong.of(number);
    }
    throw expected(name, "a whole number from " + least + " to " + most);
  }

  long needNumber(String name, long least, long most) {
    return number(name, least, most).orElseThrow(() -> expected(name, "a whole number from " + least + " to " + most));
  }

  boolean flag(String name) {
    Object value = fields.get(name);
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw expected(name, "true or false");
  }

  /** The objects of an array; empty if it is not there. */
  List<JsonFields> objects(String name) {
    List<JsonFields> objects = new ArrayList<>();
    for (Object value : list(name)) {
      objects.add(objectOf(name + "[" + objects.size() + "]", value));
    }
    return objects;
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Object value : list(name)) {
      if (!(value instanceof String text)) {
        throw expected(name, "an array of strings");
      }
      texts.add(text);
    }
    return texts;
  }

  List<Long> numbers(String name) {
    List<Long> numbers = new ArrayList<>();
    for (Object value : list(name)) {
      if (!(value instanceof Long number)) {
        throw expected(name, "an array of whole numbers");
      }
      numbers.add(number);
    }
    return numbers;
  }

  private List<?> list(String name) {
    Object value = fields.get(name);
    if (value == null) {
      return List.of();
    }
    if (value instanceof List<?> list) {
      return list;
    }
    throw expected(name, "an array");
  }

  /** The object that is there. */
  JsonFields object(String name) {
    return objectOf(name, fields.get(name));
  }

  @SuppressWarnings("unchecked") // what is read has strings as keys
  private JsonFields objectOf(String name, Object value) {
    if (value instanceof Map<?, ?> object) {
      return new JsonFields(at(name), (Map<String, Object>) object);
    }
    throw expected(name, "an object");
  }

  /** Whether the value is a string, rather than an object. */
  boolean isText(String name) {
    return fields.get(name) instanceof String;
  }

  /** All of them. */
  Set<String> names() {
    return fields.keySet();
  }

  ApiError expected(String name, String what) {
    return ApiError.badRequest(at(name) + ": expected " + what);
  }

  private String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
