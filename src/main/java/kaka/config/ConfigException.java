package kaka.config;

import java.util.List;

/** What is wrong with the settings of one start, all of it: one sentence per problem. */
public final class ConfigException extends Exception {
  private final transient List<String> problems;

  ConfigException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  /** Each names a key (or a file), its value, where that came from and what was expected. Never empty. */
  public List<String> problems() {
    return problems;
  }
}
