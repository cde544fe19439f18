package kaka.protocol;

import java.nio.charset.StandardCharsets;

/** What the protocol itself bounds, whatever a broker is configured to take. */
public final class Limits {
  /** Length field and type. */
  public static final int FRAME_HEADER_BYTES = 5;

  /** Bytes of UTF-8 in a topic's name, Kafka's limit. */
  public static final int TOPIC_BYTES = 249;

  /** Bytes of UTF-8 in a group's, client's or setting's name, and in a software version. */
  public static final int NAME_BYTES = 255;

  /** Bytes of UTF-8 in any other string: its length is a u16. */
  public static final int STRING_BYTES = 0xffff;

  /** Characters kept of an error's message or a failure's reason. */
  public static final int MESSAGE_CHARS = 4000;

  private Limits() {}

  /** @throws IllegalArgumentException if {@code value} takes more than {@code maxBytes} of UTF-8 */
  static void checkString(String value, int maxBytes, String field) {
    if (value.length() > maxBytes || value.length() * 3 > maxBytes && utf8Size(value) > maxBytes) {
      throw new IllegalArgumentException(field + " of more than " + maxBytes + " bytes");
    }
  }

  static void checkTopic(String topic) {
    checkString(topic, TOPIC_BYTES, "topic");
  }

  static void checkUint16(int value, String field) {
    if (value < 0 || value > 0xffff) {
      throw new IllegalArgumentException(field + " " + value);
    }
  }

  static void checkCount16(int count, String field) {
    if (count > 0xffff) {
      throw new IllegalArgumentException(count + " " + field + ", at most 65535");
    }
  }

  private static int utf8Size(String value) {
    return value.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A text for people, cut where it is too long: an error report must not fail because its cause was talkative. */
  static String shorten(String text) {
    return text.length() <= MESSAGE_CHARS ? text : text.substring(0, MESSAGE_CHARS - 3) + "...";
  }
}
