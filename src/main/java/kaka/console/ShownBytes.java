package kaka.console;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Bytes of a record as JSON can have them: as text where they are UTF-8, else as base64. So is text of control characters, of which each
 * would take six.
 *
 * @param text null for a null
 * @param sizeBytes of the whole, -1 for a null
 * @param isCut whether it is the beginning of a longer one
 */
record ShownBytes(String text, int sizeBytes, boolean isBase64, boolean isCut) {
  private static final ShownBytes NULL = new ShownBytes(null, -1, false, false);

  /** A character of UTF-8 may have this many bytes behind its first. */
  private static final int MAX_TAIL_BYTES = 3;

  /**
   * @param size -1 for a null
   * @param maxBytes of which are shown
   */
  static ShownBytes of(byte[] array, int position, int size, int maxBytes) {
    if (size < 0) {
      return NULL;
    }
    int shown = Math.min(size, maxBytes);
    boolean isCut = shown < size;
    ByteBuffer bytes = ByteBuffer.wrap(array, position, shown);
    CharBuffer chars = CharBuffer.allocate(shown);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
    boolean isText = !decoder.decode(bytes, chars, !isCut).isError() && bytes.remaining() <= (isCut ? MAX_TAIL_BYTES : 0);
    chars.flip();
    if (isText && !isMostlyControl(chars)) {
      return new ShownBytes(chars.toString(), size, false, isCut);
    }
    ByteBuffer encoded = Base64.getEncoder().encode(ByteBuffer.wrap(array, position, shown));
    return new ShownBytes(new String(encoded.array(), 0, encoded.limit(), StandardCharsets.US_ASCII), size, true, isCut);
  }

  private static boolean isMostlyControl(CharBuffer chars) {
    int count = 0;
    for (int i = 0; i < chars.length(); i++) {
      char c = chars.charAt(i);
      count += c < ' ' && c != '\n' && c != '\t' && c != '\r' ? 1 : 0;
    }
    return count > chars.length() / 4;
  }

  /** @param prefix of the fields that say what the text is: {@code key_} for {@code key_size} */
  void writeTo(JsonWriter out, String name, String prefix, boolean isSized) {
    out.put(name, text);
    if (isSized && text == null) {
      out.putNull(prefix + "size");
    } else if (isSized) {
      out.put(prefix + "size", sizeBytes);
    }
    if (isBase64) {
      out.put(prefix + "encoding", "base64");
    }
    if (isCut) {
      out.put(prefix + "cut", true);
    }
  }
}
