package kaka.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The API's document, and whether an answer is what it promises: no field too many, none too few, each of its type. */
final class OpenApi {
  private final JsonTree document;

  OpenApi() {
    try (InputStream in = OpenApi.class.getResourceAsStream("/kaka/openapi.json")) {
      document = JsonTree.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Method and path of everything in it: {@code GET /api/v1/topics}. */
  Set<String> operations() {
    Set<String> operations = new HashSet<>();
    paths().forEach(
        (path, methods) -> fields(methods).keySet().forEach(method -> operations.add(method.toUpperCase() + " " + path)));
    return operations;
  }

  /** Names of the parameters of an operation that stand in the query. */
  Set<String> queryParameters(String method, String path) {
    Set<String> names = new HashSet<>();
    Object parameters = fields(fields(paths().get(path)).get(method.toLowerCase())).get("parameters");
    if (parameters != null) {
      ((List<?>) parameters).forEach(
          each -> {
            if (fields(each).get("in").equals("query")) {
              names.add((String) fields(each).get("name"));
            }
          });
    }
    return names;
  }

  /** What is wrong with an answer; empty if nothing is. */
  List<String> problems(String method, String path, int status, String body) throws IOException {
    Optional<String> template = paths().keySet().stream().filter(each -> matches(each, path)).findFirst();
    Map<String, Object> responses =
        template.isEmpty() || !fields(paths().get(template.get())).containsKey(method.toLowerCase())
            ? Map.of("default", Map.of("content", Map.of("application/json", Map.of("schema", Map.of("$ref", "#/components/schemas/Error")))))
            : fields(fields(fields(paths().get(template.get())).get(method.toLowerCase())).get("responses"));
    Object response = responses.get(Integer.toString(status));
    if (response == null && status < 400) {
      return List.of(method + " " + path + ": status " + status + " is not in the document");
    }
    Object content = fields(fields(response == null ? responses.get("default") : response).get("content")).get("application/json");
    List<String> problems = new ArrayList<>();
    if (content != null) {
      check(fields(content).get("schema"), JsonTree.parse(body).root(), method + " " + path, problems);
    }
    return problems;
  }

  private static boolean matches(String template, String path) {
    List<String> own = Arrays.asList(template.split("/"));
    List<String> given = Arrays.asList(path.split("/"));
    for (int i = 0; i < own.size() && own.size() == given.size(); i++) {
      if (!own.get(i).startsWith("{") && !own.get(i).equals(given.get(i))) {
        return false;
      }
    }
    return own.size() == given.size();
  }

  private void check(Object schema, Object value, String where, List<String> problems) {
    Map<String, Object> wanted = resolved(schema);
    if (value == null) {
      if (!Boolean.TRUE.equals(wanted.get("nullable"))) {
        problems.add(where + ": null");
      }
      return;
    }
    switch ((String) wanted.get("type")) {
      case "object" -> checkObject(wanted, value, where, problems);
      case "array" -> {
        if (value instanceof List<?> list) {
          list.forEach(each -> check(wanted.get("items"), each, where + "[]", problems));
        } else {
          problems.add(where + ": no array");
        }
      }
      case "integer" -> require(value instanceof Long, where, value, problems);
      case "number" -> require(value instanceof Long || value instanceof Double, where, value, problems);
      case "boolean" -> require(value instanceof Boolean, where, value, problems);
      default -> {
        Object words = wanted.get("enum");
        require(value instanceof String && (words == null || ((List<?>) words).contains(value)), where, value, problems);
      }
    }
  }

  private void checkObject(Map<String, Object> wanted, Object value, String where, List<String> problems) {
    if (!(value instanceof Map<?, ?> found)) {
      problems.add(where + ": no object");
      return;
    }
    Object known = wanted.get("properties");
    if (known == null) {
      return;
    }
    Object required = wanted.get("required");
    if (required != null) {
      ((List<?>) required).forEach(name -> require(found.containsKey(name), where + ": no " + name, "", problems));
    }
    found.forEach(
        (name, each) -> {
          Object schema = fields(known).get(name);
          if (schema == null) {
            problems.add(where + ": unknown " + name);
          } else {
            check(schema, each, where + "." + name, problems);
          }
        });
  }

  private static void require(boolean isSo, String where, Object value, List<String> problems) {
    if (!isSo) {
      problems.add(where + " " + value);
    }
  }

  /** References followed, and all of {@code allOf} in one. */
  private Map<String, Object> resolved(Object schema) {
    Map<String, Object> fields = fields(schema);
    if (fields.get("$ref") instanceof String reference) {
      return resolved(document.at(reference.substring(2)));
    }
    if (fields.get("allOf") instanceof List<?> parts) {
      Map<String, Object> properties = new java.util.HashMap<>();
      List<Object> required = new ArrayList<>();
      for (Object part : parts) {
        properties.putAll(fields(resolved(part).get("properties")));
        required.addAll((List<?>) resolved(part).get("required"));
      }
      return Map.of("type", "object", "properties", properties, "required", required);
    }
    return fields;
  }

  private Map<String, Object> paths() {
    return fields(document.at("paths"));
  }

  @SuppressWarnings("unchecked") // JSON has strings as keys
  private static Map<String, Object> fields(Object object) {
    return (Map<String, Object>) object;
  }
}
