package kaka.console;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.record.TopicPartition;

/**
 * One request to the API, as its route has understood it.
 *
 * @param path the parts of the path that the route names
 * @param query the parameters, each one that the route knows
 * @param body its JSON; without fields where the route takes none
 */
record ApiCall(Map<String, String> path, Map<String, String> query, JsonFields body) {
  ApiCall {
    path = Map.copyOf(path);
    query = Map.copyOf(query);
  }

  String topic() {
    return path.get("topic");
  }

  String group() {
    return path.get("group");
  }

  /** @throws ApiError if it is no number that a partition or an offset can have */
  long number(String name) {
    return number(name, path.get(name), 0, Long.MAX_VALUE);
  }

  /** The partition of the path. */
  TopicPartition partition() {
    long number = number("partition");
    if (number > Integer.MAX_VALUE) {
      throw ApiError.unknownPartition(topic(), number);
    }
    return new TopicPartition(topic(), (int) number);
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(query.get(name)).filter(text -> !text.isEmpty());
  }

  OptionalLong number(String name, long least, long most) {
    return text(name).map(text -> OptionalLong.of(number(name, text, least, most))).orElseGet(OptionalLong::empty);
  }

  int count(String name, int least, int most, int otherwise) {
    return (int) number(name, least, most).orElse(otherwise);
  }

  /** One of a few words. */
  Optional<String> word(String name, String... words) {
    Optional<String> given = text(name);
    if (given.isPresent() && !java.util.List.of(words).contains(given.get())) {
      throw ApiError.badRequest(name + "=" + given.get() + ": one of " + String.join(", ", words));
    }
    return given;
  }

  private static long number(String name, String text, long least, long most) {
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw ApiError.badRequest(name + "=" + text + ": expected a whole number"); // what is wrong with it is plain
    }
    throw ApiError.badRequest(name + "=" + text + ": expected a whole number from " + least + " to " + most);
  }
}
