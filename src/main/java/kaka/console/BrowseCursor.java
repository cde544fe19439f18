package kaka.console;

import java.util.Map;
import java.util.TreeMap;

/**
 * Where browsing goes on, as the client gives it back: forwards from an offset of each partition, or backwards from before one.
 * Short, since it stands in a URI: {@code f0.7ps_1.4}, numbers to the base of 36.
 *
 * @param offsets by partition
 */
record BrowseCursor(boolean isBackward, TreeMap<Integer, Long> offsets) {
  private static final int RADIX = 36;

  /** @throws ApiError if nobody of ours has written that */
  static BrowseCursor parse(String text) {
    TreeMap<Integer, Long> offsets = new TreeMap<>();
    try {
      for (String entry : text.substring(1).split("_")) {
        String[] parts = entry.split("\\.", -1);
        long offset = Long.parseLong(parts[1], RADIX);
        int partition = Integer.parseInt(parts[0], RADIX);
        if (parts.length != 2 || offset < 0 || partition < 0) {
          throw new NumberFormatException(entry);
        }
        offsets.put(partition, offset);
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw ApiError.badRequest("cursor=" + text + ": expected what an answer gave as next or previous");
    }
    if (text.charAt(0) != 'f' && text.charAt(0) != 'b') {
      throw ApiError.badRequest("cursor=" + text + ": expected what an answer gave as next or previous");
    }
    return new BrowseCursor(text.charAt(0) == 'b', offsets);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(isBackward ? "b" : "f");
    for (Map.Entry<Integer, Long> entry : offsets.entrySet()) {
      text.append(text.length() == 1 ? "" : "_")
          .append(Integer.toString(entry.getKey(), RADIX))
          .append('.')
          .append(Long.toString(entry.getValue(), RADIX));
    }
    return text.toString();
  }
}
