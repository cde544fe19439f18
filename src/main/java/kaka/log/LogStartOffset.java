package kaka.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * {@code log-start-offset}: the first offset that retention has left. Durable before any file goes, and files below it go at
 * the next open, so it carries a checksum: a flipped digit must not delete anything. While the file is missing it is 0.
 *
 * <pre>
 * version: 0
 * log_start_offset: 93124
 * crc32c: 1c291ca3          of the lines above, hexadecimal
 * </pre>
 */
final class LogStartOffset {
  private static final Pattern CONTENT =
      Pattern.compile("(version: 0\nlog_start_offset: (\\d{1,18})\n)crc32c: ([0-9a-f]{8})\n");

  private LogStartOffset() {}

  static void write(Disk disk, LogFiles files, long logStartOffset) throws IOException {
    WholeFile.replace(disk, files.logStartOffset(), content(logStartOffset));
  }

  private static String content(long logStartOffset) {
    String content = "version: 0\nlog_start_offset: " + logStartOffset + "\n";
    return content + "crc32c: " + crcOf(content) + "\n";
  }

  /** @throws LogDamagedException if the file is not as it was written */
  static long read(Disk disk, LogFiles files) throws IOException {
    Path file = files.logStartOffset();
    if (!disk.exists(file)) {
      return 0;
    }
    Matcher matcher = CONTENT.matcher(WholeFile.read(disk, file));
    if (!matcher.matches() || !crcOf(matcher.group(1)).equals(matcher.group(3))) {
      throw new LogDamagedException(file, 0, "not a log start offset with its checksum", advice(disk, files));
    }
    return Long.parseLong(matcher.group(2));
  }

  private static String advice(Disk disk, LogFiles files) throws IOException {
    OptionalLong first =
        disk.list(files.directory()).stream()
            .map(LogFiles::parse)
            .flatMap(Optional::stream)
            .filter(LogFiles.SegmentPart::isLog)
            .mapToLong(LogFiles.SegmentPart::baseOffset)
            .min();
    String what = "no segment before offset " + first.orElse(0) + " is missing";
    return Advice.forText(files.logStartOffset(), what, content(first.orElse(0)));
  }

  private static String crcOf(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.US_ASCII));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
