package kaka.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import kaka.broker.Broker;
import kaka.broker.StartReport;
import kaka.config.KakaConfig;

/** What a successful start says on stdout. Its last line is read by scripts and must stay as it is (README, "Operation"). */
final class StartMessage {
  private StartMessage() {}

  static void print(PrintStream out, KakaConfig config, StartReport report) {
    String listen = listen(config.server().host(), report.address().getPort());
    out.println(Main.VersionLine.line());
    out.println("listening on " + listen);
    out.println(config.dir().isEmpty() ? "keeping records in memory" : "data in " + Path.of(config.dir()).toAbsolutePath().normalize());
    out.println(durabilityExplained(config));
    out.println(recovered(report));
    if (!report.topicsProblem().isEmpty()) {
      out.println("WARNING: topics cannot be created or deleted, and nothing expires: " + report.topicsProblem());
    }
    if (!report.groupsProblem().isEmpty()) {
      out.println("WARNING: consumer groups are refused: " + report.groupsProblem());
    }
    if (!report.transactionsProblem().isEmpty()) {
      out.println("WARNING: transactions are refused: " + report.transactionsProblem());
    }
    report.admin().ifPresent(admin -> out.println("metrics and health on http://" + listen(config.admin().host(), admin.getPort())));
    out.println("memory budget " + (config.memoryMaxBytes() >> 20) + " MiB of a heap of at most "
        + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
    out.println("kaka ready listen=" + listen + " dir=" + config.dir() + " durability=" + Broker.durability(config));
    out.flush();
  }

  private static String recovered(StartReport report) {
    String opened = "partitions: " + report.partitionCount() + " of " + report.topicCount() + " topics opened in "
        + report.recovery().toMillis() + " ms";
    return report.failed().isEmpty() ? opened : "WARNING: " + opened + ", not writable: " + report.failed() + "; the log says why";
  }

  private static String listen(String host, int port) {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  private static String durabilityExplained(KakaConfig config) {
    if (config.dir().isEmpty()) {
      return "WARNING: nothing is durable: every record is lost when this process ends (kaka.log.dir is empty)";
    }
    Duration interval = config.log().fsyncInterval();
    return interval.isZero()
        ? "durability: every ack is on disk"
        : "WARNING: acks come before the sync: a power cut can lose the last " + Broker.shortest(interval)
            + " of acknowledged records (kaka.log.fsync-interval)";
  }
}
