package kaka.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code cleaned-offset}: how far compaction has come. It may lag behind the truth, never lead: what is compacted twice is
 * the same. So a missing or damaged file means that nothing is compacted yet, and so does one of version 0: what wrote that kept
 * transactions whole, so their keys are not compacted.
 *
 * <pre>
 * version: 1
 * cleaned_offset: 93124            below it every key has one record at most, but for newer ones above it
 * delete_horizon_ms: 1732900000000 when the first tombstone below it may go; the greatest i64 if there is none
 * crc32c: 1c291ca3                 of the lines above, hexadecimal
 * </pre>
 */
record CleanedOffset(long offset, long deleteHorizonMs) {
  static final CleanedOffset NONE = new CleanedOffset(0, Long.MAX_VALUE);

  private static final Logger LOG = LoggerFactory.getLogger(CleanedOffset.class);

  private static final String WITHOUT_TRANSACTIONS = "version: 0\n";

  private static final Pattern CONTENT =
      Pattern.compile(
          "(version: 1\ncleaned_offset: (\\d{1,18})\ndelete_horizon_ms: (\\d{1,19})\n)crc32c: ([0-9a-f]{8})\n");

  /** Durable when it returns. */
  void write(Disk disk, LogFiles files) throws IOException {
    String content = "version: 1\ncleaned_offset: " + offset + "\ndelete_horizon_ms: " + deleteHorizonMs + "\n";
    WholeFile.replace(disk, files.cleanedOffset(), content + "crc32c: " + crcOf(content) + "\n");
  }

  static CleanedOffset read(Disk disk, LogFiles files) throws IOException {
    Path file = files.cleanedOffset();
    if (!disk.exists(file)) {
      return NONE;
    }
    String content = WholeFile.read(disk, file);
    if (content.startsWith(WITHOUT_TRANSACTIONS)) {
      LOG.info("compaction begins anew, it has left transactions out so far partition={}", files.partition());
      return NONE;
    }
    Matcher matcher = CONTENT.matcher(content);
    if (matcher.matches() && crcOf(matcher.group(1)).equals(matcher.group(4))) {
      try {
        return new CleanedOffset(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
      } catch (NumberFormatException e) { // 19 digits can exceed a long: not what was written
        return notRead(files);
      }
    }
    return notRead(files);
  }

  private static CleanedOffset notRead(LogFiles files) {
    LOG.warn("progress of compaction is damaged, it begins anew partition={}", files.partition());
    return NONE;
  }

  private static String crcOf(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.US_ASCII));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
