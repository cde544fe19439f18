package kaka.connection;

import java.util.regex.Pattern;

/** What clients call themselves, and whatever else they say, as it may stand in the log. */
public final class ClientText {
  private static final Pattern LINE_BREAKING = Pattern.compile("[\\p{Cntrl}\u2028\u2029]");

  private ClientText() {}

  /** On one line: nobody but the broker writes lines of the log. */
  public static String inLog(String text) {
    return LINE_BREAKING.matcher(text).replaceAll("?");
  }
}
