package kaka.cli;

import com.typesafe.config.Config;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A broker's status as a person reads it. */
final class StatusText {
  private StatusText() {}

  /** @param status as {@code /status} answers */
  static String of(String address, Config status) {
    List<String> lines = new ArrayList<>();
    lines.add("kaka " + status.getString("version") + " at " + address + ": " + (status.getBoolean("ready") ? "ready" : "NOT READY"));
    lines.add(line("up", uptime(status.getLong("uptime_seconds")) + ", pid " + status.getLong("pid") + ", Java " + status.getString("java")));
    lines.add(line("acks", status.getString("durability")));
    lines.add(line("partitions", partitions(status)));
    lines.add(line("groups", groups(status)));
    lines.add(line("connections", status.getLong("connections.open") + " of " + status.getLong("connections.max")));
    lines.add(line("memory", size(status.getLong("memory.used_bytes")) + " of " + size(status.getLong("memory.budget_bytes"))));
    lines.add(line("disk", disk(status)));
    for (Config problem : status.getConfigList("problems")) {
      String subject = problem.getString("subject");
      lines.add("");
      lines.add("WRONG: " + problem.getString("problem") + (subject.isEmpty() ? "" : " " + subject) + ": " + printable(problem.getString("detail")));
      lines.add("  do:  " + printable(problem.getString("advice")));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String line(String what, String value) {
    return "  %-12s %s".formatted(what, printable(value));
  }

  private static String partitions(Config status) {
    String text = status.getLong("partitions.count") + " of " + status.getLong("topics") + " topics: "
        + status.getLong("partitions.writable") + " writable";
    text += status.getLong("partitions.opening") > 0 ? ", " + status.getLong("partitions.opening") + " opening" : "";
    return text + (status.getLong("partitions.failed") > 0 ? ", " + status.getLong("partitions.failed") + " FAILED" : "");
  }

  private static String groups(Config status) {
    List<String> most = new ArrayList<>();
    for (Config group : status.getConfigList("groups.most_lagging")) {
      most.add(group.getString("group") + " by " + group.getLong("lag"));
    }
    return status.getLong("groups.count") + ", behind by " + status.getLong("groups.lag") + " records"
        + (most.isEmpty() ? "" : ": " + String.join(", ", most));
  }

  private static String disk(Config status) {
    String free = status.hasPath("disk.free_bytes") ? size(status.getLong("disk.free_bytes")) + " free" : "free space unknown";
    return status.getString("disk.directory") + ": logs " + size(status.getLong("disk.log_bytes")) + ", " + free;
  }

  /** {@code 3 d 4 h}, {@code 4 h 5 min}, {@code 5 min 6 s}, {@code 6 s}. */
  static String uptime(long seconds) {
    if (seconds >= 86_400) {
      return seconds / 86_400 + " d " + seconds % 86_400 / 3600 + " h";
    }
    if (seconds >= 3600) {
      return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }
    return seconds >= 60 ? seconds / 60 + " min " + seconds % 60 + " s" : seconds + " s";
  }

  static String size(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = bytes;
    int unit = 0;
    while (size >= 1024 && unit < units.length - 1) {
      size /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", size, units[unit]);
  }

  /** Names of groups are a client's words, and go to a terminal. */
  private static String printable(String text) {
    return text.replaceAll("[\\p{Cntrl}\u2028\u2029]", "?");
  }
}
