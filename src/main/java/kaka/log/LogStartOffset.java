package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * {@code log-start-offset}: the first offset that retention, or a deletion of records, has left. Durable before any file goes, and files below it go at
 * the next open, so it carries a checksum: a flipped digit must not delete anything.
 *
 * <p>Two slots of 4096 bytes, made with the log and overwritten in place in turns, so that retention needs no space, least of
 * all on a full disk. A write that a crash tears leaves the other slot, which holds what was durable; the greater of two intact
 * ones counts. A slot is this text and zeros up to its end, from the file's creation on: an empty one is damaged.
 *
 * <pre>
 * version: 0
 * log_start_offset: 93124
 * crc32c: 1c291ca3          of the lines above, hexadecimal
 * </pre>
 *
 * <p>A file of one slot, as an operator may write one, is intact too. While there is no file, the offset is 0.
 */
final class LogStartOffset {
  private static final int SLOT_BYTES = 4096; // no sector of any disk is larger, so a torn write reaches one slot only
  private static final int SLOT_COUNT = 2;
  private static final int MAX_TEXT_BYTES = 80;
  private static final Pattern CONTENT =
      Pattern.compile("(version: 0\nlog_start_offset: (\\d{1,18})\n)crc32c: ([0-9a-f]{8})\n");

  private LogStartOffset() {}

  /** A new file, if there is none, that says 0; the caller syncs the directory. */
  static void create(Disk disk, LogFiles files) throws IOException {
    if (!disk.exists(files.logStartOffset())) {
      disk.create(files.logStartOffset()).close();
    }
    try (DiskFile file = disk.openForWriting(files.logStartOffset())) {
      ByteBuffer all = ByteBuffer.allocate(SLOT_COUNT * SLOT_BYTES);
      all.put(slot(0)).position(SLOT_BYTES).put(slot(0)).clear();
      file.write(all, 0);
      file.sync();
    }
  }

  /**
   * Durable when it returns.
   *
   * @param durableStart what is known to be on the disk: it stays there until the new one is. After a failed write or sync the
   *     file may show what the disk does not have
   */
  static void write(Disk disk, LogFiles files, long durableStart, long logStartOffset) throws IOException {
    boolean isNew = !disk.exists(files.logStartOffset());
    if (isNew) {
      create(disk, files);
    }
    try (DiskFile file = disk.openForWriting(files.logStartOffset())) {
      put(file, slotToOverwrite(slots(file), durableStart, logStartOffset), logStartOffset);
    }
    if (isNew) {
      disk.syncDirectory(files.directory());
    }
  }

  private static void put(DiskFile file, int target, long logStartOffset) throws IOException {
    if (target > 0 && file.sizeBytes() < target * SLOT_BYTES) { // a file that an operator wrote: zeros up to there
      int sizeBytes = (int) file.sizeBytes();
      file.write(ByteBuffer.allocate(target * SLOT_BYTES - sizeBytes), sizeBytes);
    }
    file.write(slot(logStartOffset), (long) target * SLOT_BYTES);
    file.sync();
  }

  /** Both slots, one after the other: at any time what can be read is the old offset or the new one. The log is closed. */
  static void lower(Disk disk, LogFiles files, long logStartOffset) throws IOException {
    try (DiskFile file = disk.openForWriting(files.logStartOffset())) {
      OptionalLong[] slots = slots(file);
      int first = slots[0].orElse(-1) > slots[1].orElse(-1) ? 1 : 0; // not the greater one, which counts
      for (int target : new int[] {first, 1 - first}) {
        put(file, target, logStartOffset);
      }
    }
  }

  /** The one that already says so, if one does; else the one that does not hold what is durable. */
  private static int slotToOverwrite(OptionalLong[] slots, long durableStart, long logStartOffset) {
    for (int i = 0; i < SLOT_COUNT; i++) {
      if (slots[i].equals(OptionalLong.of(logStartOffset))) {
        return i;
      }
    }
    return slots[0].equals(OptionalLong.of(durableStart)) ? 1 : 0;
  }

  /**
   * The log's start, 0 if there is no file.
   *
   * @throws LogDamagedException if no slot is as it was written
   */
  static long read(Disk disk, LogFiles files) throws IOException {
    Path path = files.logStartOffset();
    if (!disk.exists(path)) {
      return 0;
    }
    try (DiskFile file = disk.openForReading(path)) {
      OptionalLong[] slots = slots(file);
      if (slots[0].isPresent() || slots[1].isPresent()) {
        return Math.max(slots[0].orElse(0), slots[1].orElse(0));
      }
    }
    throw new LogDamagedException(path, 0, "not a log start offset with its checksum", advice(disk, files));
  }

  /** Whether each byte is as it was written, those that nobody reads included. */
  static boolean isIntact(Disk disk, LogFiles files) throws IOException {
    try (DiskFile file = disk.openForReading(files.logStartOffset())) {
      for (int i = 0; i < SLOT_COUNT; i++) {
        byte[] bytes = new byte[SLOT_BYTES];
        file.read(ByteBuffer.wrap(bytes), (long) i * SLOT_BYTES);
        int end = SLOT_BYTES;
        while (end > 0 && bytes[end - 1] == 0) {
          end--;
        }
        String text = new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
        boolean isThere = (long) i * SLOT_BYTES < file.sizeBytes();
        if (isThere && parse(text).isEmpty()) {
          return false;
        }
      }
      return file.sizeBytes() <= SLOT_COUNT * SLOT_BYTES;
    }
  }

  /** What each slot says; empty unless it is intact. */
  private static OptionalLong[] slots(DiskFile file) throws IOException {
    OptionalLong[] slots = new OptionalLong[SLOT_COUNT];
    for (int i = 0; i < SLOT_COUNT; i++) {
      byte[] bytes = new byte[MAX_TEXT_BYTES];
      int count = file.read(ByteBuffer.wrap(bytes), (long) i * SLOT_BYTES);
      int end = 0;
      while (end < count && bytes[end] != 0) {
        end++;
      }
      slots[i] = parse(new String(bytes, 0, end, StandardCharsets.US_ASCII));
    }
    return slots;
  }

  private static OptionalLong parse(String text) {
    Matcher matcher = CONTENT.matcher(text);
    return matcher.matches() && crcOf(matcher.group(1)).equals(matcher.group(3))
        ? OptionalLong.of(Long.parseLong(matcher.group(2)))
        : OptionalLong.empty();
  }

  /** One write: the text, and zeros over what a longer one may have left. */
  private static ByteBuffer slot(long logStartOffset) {
    ByteBuffer slot = ByteBuffer.allocate(MAX_TEXT_BYTES);
    slot.put(content(logStartOffset).getBytes(StandardCharsets.US_ASCII));
    return slot.clear();
  }

  private static String content(long logStartOffset) {
    String content = "version: 0\nlog_start_offset: " + logStartOffset + "\n";
    return content + "crc32c: " + crcOf(content) + "\n";
  }

  /** What is wrong with a log that ends before it starts: every record up to its start was durable when it was moved there. */
  static String endsBelow(long logEndOffset, long logStartOffset) {
    return "ends before offset " + logEndOffset + ", but by log-start-offset the log starts at offset " + logStartOffset
        + ": records before that were deleted, and what followed on these is missing";
  }

  /** How to write the file anew, for people. */
  static String advice(Disk disk, LogFiles files) throws IOException {
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
