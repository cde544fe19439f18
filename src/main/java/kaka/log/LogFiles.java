package kaka.log;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of the files of one partition's directory; those of segments are Kafka's. */
record LogFiles(Path directory) {
  private static final int DIGITS = 20;

  private static final Set<String> SEGMENT_KINDS = Set.of("log", "index", "timeindex", "txnindex", "snapshot");

  private static final Pattern REWRITTEN = Pattern.compile("(\\d{20})\\.log\\.(cleaned|swap)");

  private static final String RECOVERY_POINT = "recovery-point";
  private static final String LOG_START_OFFSET = "log-start-offset";
  private static final String CLEANED_OFFSET = "cleaned-offset";
  private static final String METADATA = "partition.metadata";
  private static final String CLEAN_STOP = "clean-stop";

  /** A file of a segment: whose, and {@code log}, {@code index}, {@code timeindex}, {@code txnindex} or {@code snapshot}. */
  record SegmentPart(long baseOffset, String kind) {
    boolean isLog() {
      return kind.equals("log");
    }

    boolean isIndex() {
      return kind.equals("index") || kind.equals("timeindex");
    }

    boolean isAbortedIndex() {
      return kind.equals("txnindex");
    }

    boolean isSnapshot() {
      return kind.equals("snapshot");
    }
  }

  /** Whether a partition's directory is what holds {@code file}; if not, {@code file} may be that directory. */
  static boolean isPartOfLog(Path file) {
    String name = String.valueOf(file.getFileName());
    return parse(name).isPresent()
        || REWRITTEN.matcher(name).matches()
        || name.equals(RECOVERY_POINT)
        || name.equals(LOG_START_OFFSET)
        || name.equals(CLEANED_OFFSET)
        || name.equals(CLEAN_STOP)
        || name.equals(METADATA);
  }

  static Optional<SegmentPart> parse(String name) {
    if (name.length() < DIGITS + 1 || name.charAt(DIGITS) != '.' || !SEGMENT_KINDS.contains(name.substring(DIGITS + 1))) {
      return Optional.empty();
    }
    for (int i = 0; i < DIGITS; i++) {
      if (name.charAt(i) < '0' || name.charAt(i) > '9') {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(new SegmentPart(Long.parseLong(name, 0, DIGITS, 10), name.substring(DIGITS + 1)));
    } catch (NumberFormatException e) { // 20 digits can exceed an offset: then the file is not ours
      return Optional.empty();
    }
  }

  /** Whether it is what was being written to become one of the log's files, and never did. */
  static boolean isTemporary(String name) {
    return WholeFile.targetOf(name).filter(target -> isPartOfLog(Path.of(target))).isPresent();
  }

  /** Whether it is what compaction had not finished. */
  static boolean isCleaned(String name) {
    return REWRITTEN.matcher(name).matches() && name.endsWith("cleaned");
  }

  /** The base offset of a compacted segment that was about to replace others. */
  static Optional<Long> parseSwap(String name) {
    return REWRITTEN.matcher(name).matches() && name.endsWith("swap")
        ? parse(name.substring(0, name.length() - ".swap".length())).map(SegmentPart::baseOffset)
        : Optional.empty();
  }

  Path log(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".log");
  }

  Path offsetIndex(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".index");
  }

  Path timeIndex(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".timeindex");
  }

  /** The transactions whose abortion stands in the segment; see {@link AbortedIndex}. */
  Path abortedIndex(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".txnindex");
  }

  /** What the batches below {@code baseOffset} left of their producers. */
  Path snapshot(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".snapshot");
  }

  /** Where a torn tail is kept; {@code attempt} counts from 0, for where there is such a file already. */
  Path cut(long baseOffset, long position, int attempt) {
    return directory.resolve(stem(baseOffset) + "." + position + (attempt == 0 ? "" : "-" + attempt) + ".cut");
  }

  /** A compacted segment while it is written. */
  Path cleaned(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".log.cleaned");
  }

  /** A compacted segment that is complete, while it takes its place. */
  Path swap(long baseOffset) {
    return directory.resolve(stem(baseOffset) + ".log.swap");
  }

  Path cleanedOffset() {
    return directory.resolve(CLEANED_OFFSET);
  }

  /** What an ordered stop left; see {@link CleanStop}. */
  Path cleanStop() {
    return directory.resolve(CLEAN_STOP);
  }

  Path recoveryPoint() {
    return directory.resolve(RECOVERY_POINT);
  }

  Path logStartOffset() {
    return directory.resolve(LOG_START_OFFSET);
  }

  Path metadata() {
    return directory.resolve(METADATA);
  }

  /** What log lines call the partition. */
  String partition() {
    return String.valueOf(directory.getFileName());
  }

  private static String stem(long baseOffset) {
    String digits = Long.toString(baseOffset);
    return "0".repeat(DIGITS - digits.length()) + digits;
  }
}
