package kaka.checks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import kaka.log.LogConfig;
import kaka.log.PartitionLog;
import kaka.log.RealDisk;
import kaka.log.RecoveryReport;

/**
 * Opens every log of a stopped broker's directory and says what the opening had to repair.
 *
 * <pre>DIRECTORY     exit 1 if a byte was written again or cut, or an index made anew</pre>
 */
public final class RecoveryCheck {
  private RecoveryCheck() {}

  public static void main(String[] args) throws Exception {
    long repaired = 0;
    for (Path log : logsOf(Path.of(args[0]))) {
      RecoveryReport report = recover(log);
      System.out.printf(
          "%s: rewritten=%d cut=%d rebuilt_indexes=%d%n",
          log.getFileName(), report.rewrittenBytes(), report.cutBytes(), report.rebuiltIndexCount());
      repaired += repairs(report);
    }
    System.exit(repaired == 0 ? 0 : 1);
  }

  static List<Path> logsOf(Path directory) throws Exception {
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.filter(path -> Files.exists(path.resolve("partition.metadata"))).sorted().toList();
    }
  }

  /** Whatever had to be done to it. */
  static long repairs(RecoveryReport report) {
    return report.rewrittenBytes() + report.cutBytes() + report.rebuiltIndexCount();
  }

  static RecoveryReport recover(Path log) throws Exception {
    UUID id = null;
    for (String line : Files.readAllLines(log.resolve("partition.metadata"))) {
      if (line.startsWith("topic_id: ")) {
        id = idOf(line.substring("topic_id: ".length()).trim());
      }
    }
    LogConfig config = new LogConfig(128 << 20, Duration.ofDays(7), 4096, Duration.ZERO, -1, Duration.ZERO, 0);
    try (PartitionLog opened = PartitionLog.open(new RealDisk(), log, id, config, Clock.systemUTC())) {
      return opened.recovery();
    }
  }

  /** Kafka's way to write it: base64url of its 16 bytes; or as Java does. */
  private static UUID idOf(String text) {
    if (text.length() == 36) {
      return UUID.fromString(text);
    }
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(java.util.Base64.getUrlDecoder().decode(text));
    return new UUID(bytes.getLong(), bytes.getLong());
  }
}
