package kaka.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 100}, {@code 64k}, {@code 1m}, {@code 16MiB}, {@code 2g}; powers of 1024. */
final class ByteSize {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18})([kmg]?)(?:i?b)?");

  private ByteSize() {}

  static long parse(String text) {
    Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw new IllegalArgumentException("a number of bytes, as in 100, 64k, 1m or 2g");
    }
    int shift =
        switch (form.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    long number = Long.parseLong(form.group(1));
    if (number > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException("too large");
    }
    return number << shift;
  }
}
