package kaka.log;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;

/** Topic ids as Kafka writes them: the 16 bytes in URL-safe Base64 without padding, 22 characters. */
final class TopicIds {
  static final int TEXT_SIZE = 22;

  private TopicIds() {}

  static String text(UUID id) {
    byte[] bytes =
        ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** @throws IllegalArgumentException if it is none */
  static UUID parse(String text) {
    if (text.length() != TEXT_SIZE) {
      throw new IllegalArgumentException("topic id " + text);
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
    UUID id = new UUID(bytes.getLong(), bytes.getLong());
    if (!text(id).equals(text)) { // the last character has bits that do not count
      throw new IllegalArgumentException("topic id " + text);
    }
    return id;
  }
}
