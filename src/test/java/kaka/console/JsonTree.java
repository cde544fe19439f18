package kaka.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** A JSON text as maps, lists and plain values, and where to find something in it. */
public final class JsonTree {
  private final Object root;

  private JsonTree(Object root) {
    this.root = root;
  }

  public static JsonTree parse(String text) throws IOException {
    try (JsonParser in = new JsonFactory().createParser(text)) {
      in.nextToken();
      return new JsonTree(value(in));
    }
  }

  private static Object value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = in.currentName();
          in.nextToken();
          fields.put(name, value(in));
        }
        yield fields;
      }
      case START_ARRAY -> {
        List<Object> values = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          values.add(value(in));
        }
        yield values;
      }
      case VALUE_NUMBER_INT -> in.getLongValue();
      case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> in.getText();
    };
  }

  Object root() {
    return root;
  }

  /**
   * What stands there; null for a null.
   *
   * @param path fields, and numbers of elements, with slashes between: {@code items/0/name}
   * @throws NoSuchElementException if there is nothing
   */
  public Object at(String path) {
    Object here = root;
    for (String step : path.split("/")) {
      if (here instanceof Map<?, ?> fields && fields.containsKey(step)) {
        here = fields.get(step);
      } else if (here instanceof List<?> values && step.matches("\\d+") && Integer.parseInt(step) < values.size()) {
        here = values.get(Integer.parseInt(step));
      } else {
        throw new NoSuchElementException("no " + path + " (" + step + ") in " + root);
      }
    }
    return here;
  }

  /** Whether there is something, be it null. */
  public boolean has(String path) {
    try {
      at(path);
      return true;
    } catch (NoSuchElementException e) {
      return false;
    }
  }

  public String text(String path) {
    return (String) at(path);
  }

  public long number(String path) {
    return (Long) at(path);
  }

  public boolean flag(String path) {
    return (Boolean) at(path);
  }

  public List<?> list(String path) {
    return (List<?>) at(path);
  }

  public int size(String path) {
    return list(path).size();
  }

  /** That field of each element of the array. */
  public List<Object> each(String path, String field) {
    List<Object> values = new ArrayList<>();
    list(path).forEach(element -> values.add(((Map<?, ?>) element).get(field)));
    return values;
  }

  @Override
  public String toString() {
    return String.valueOf(root);
  }
}
