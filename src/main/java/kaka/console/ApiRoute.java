package kaka.console;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * One thing that the API does.
 *
 * @param path segments; one in braces is a name for whatever stands there
 * @param params query parameters that it knows
 * @param does whether it changes something, and takes a body
 * @param moves what of it counts for the quotas of clients
 */
record ApiRoute(String method, String path, Set<String> params, Effect does, Moves moves, Handler handler) {
  /** What a request comes to. */
  enum Effect {
    READS,
    WRITES,
    WRITES_BY_BODY,
    /** It says in its body whether it changes anything, and looks itself whether it may. */
    MAY_WRITE_BY_BODY;

    boolean takesBody() {
      return this == WRITES_BY_BODY || this == MAY_WRITE_BY_BODY;
    }

    boolean isWrite() {
      return this == WRITES || this == WRITES_BY_BODY;
    }
  }

  /** Whether records come in by its body, or go out by its answer. */
  enum Moves {
    NO_RECORDS,
    RECORDS_IN,
    RECORDS_OUT
  }

  /** Answers a request; must not block. */
  @FunctionalInterface
  interface Handler {
    CompletionStage<ApiAnswer> answer(ApiCall call);
  }

  ApiRoute {
    params = Set.copyOf(params);
  }

  static ApiRoute get(String path, Handler handler, String... params) {
    return new ApiRoute("GET", path, Set.of(params), Effect.READS, Moves.NO_RECORDS, handler);
  }

  static ApiRoute post(String path, Handler handler) {
    return new ApiRoute("POST", path, Set.of(), Effect.WRITES_BY_BODY, Moves.NO_RECORDS, handler);
  }

  static ApiRoute patch(String path, Handler handler) {
    return new ApiRoute("PATCH", path, Set.of(), Effect.WRITES_BY_BODY, Moves.NO_RECORDS, handler);
  }

  static ApiRoute delete(String path, Handler handler) {
    return new ApiRoute("DELETE", path, Set.of(), Effect.WRITES, Moves.NO_RECORDS, handler);
  }

  /** The same, with records going that way. */
  ApiRoute moving(Moves records) {
    return new ApiRoute(method, path, params, does, records, handler);
  }

  /** What the path's names stand for, if this is the route of a path with such segments. */
  Optional<Map<String, String>> match(List<String> segments) {
    List<String> own = Arrays.asList(path.substring(1).split("/"));
    if (own.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < own.size(); i++) {
      String each = own.get(i);
      if (each.startsWith("{")) {
        names.put(each.substring(1, each.length() - 1), segments.get(i));
      } else if (!each.equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(names);
  }

  /** @throws ApiError for a parameter that nobody would look at */
  void requireKnown(Set<String> given) {
    for (String name : given) {
      if (!params.contains(name)) {
        String known = params.isEmpty() ? "it has none" : "there are " + String.join(", ", new java.util.TreeSet<>(params));
        throw ApiError.badRequest("unknown parameter '" + name + "': " + known);
      }
    }
  }
}
