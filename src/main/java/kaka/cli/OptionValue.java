package kaka.cli;

import java.util.function.Function;

/** Checks of what was given to an option; a refusal names the option and the value as they stand on the command line. */
final class OptionValue {
  private OptionValue() {}

  /**
   * What {@code parser} makes of {@code text}.
   *
   * @throws IllegalArgumentException if it throws one, with that one's message after the option
   */
  static <T> T parse(String option, String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + " " + text + ": " + e.getMessage(), e);
    }
  }

  /** @throws IllegalArgumentException if {@code value} is below {@code least} */
  static void atLeast(String option, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(option + " " + value + ": at least " + least);
    }
  }
}
