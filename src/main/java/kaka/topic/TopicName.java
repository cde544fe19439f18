package kaka.topic;

import java.util.Optional;

/** Which names a topic may have: Kafka's rule, so that every client's names fit and each is a directory name as it is. */
public final class TopicName {
  public static final int MAX_LENGTH = 249;

  /** Names that start so are the broker's own. */
  public static final String INTERNAL_PREFIX = "__";

  private TopicName() {}

  /** What is wrong with {@code name} as a topic of a user's; empty if nothing is. */
  public static Optional<String> problemOf(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      return Optional.of("topic name of " + name.length() + " characters: 1 to " + MAX_LENGTH);
    }
    for (int i = 0; i < name.length(); i++) {
      if (!isLegal(name.charAt(i))) {
        return Optional.of("topic name with an illegal character at " + i + ": letters, digits, '.', '_' and '-'");
      }
    }
    if (name.equals(".") || name.equals("..")) {
      return Optional.of("topic name '" + name + "'");
    }
    if (name.startsWith(INTERNAL_PREFIX)) {
      return Optional.of("topic name '" + name + "': names that start with " + INTERNAL_PREFIX + " are the broker's own");
    }
    return Optional.empty();
  }

  private static boolean isLegal(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-';
  }
}
