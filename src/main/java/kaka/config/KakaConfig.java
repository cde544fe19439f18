package kaka.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kaka.connection.Checks;
import kaka.connection.ConnectionTimeouts;
import kaka.connection.ServerConfig;
import kaka.console.AdminConfig;
import kaka.console.SettingInForce;
import kaka.group.GroupConfig;
import kaka.kafka.KafkaConfig;
import kaka.log.Cleanup;
import kaka.log.CompactionConfig;
import kaka.log.LogConfig;
import kaka.log.Preallocation;
import kaka.quota.QuotaConfig;
import kaka.topic.TopicsConfig;
import kaka.transaction.TransactionConfig;

/**
 * All settings of one broker, checked.
 *
 * @param server the port, its connections and fetches
 * @param kafka what Kafka's clients are told
 * @param dir the data directory; empty: everything stays in memory
 * @param log every partition's log, unless its topic says otherwise
 * @param retentionCheckInterval how often retention and compaction look, above 0
 * @param compaction what compaction may take
 * @param topics what a new topic is like
 * @param groups what consumer groups may be like and take
 * @param transactions what transactions may be like and take
 * @param quotas how fast clients may produce and fetch
 * @param admin the port for metrics, health, the HTTP API and the console
 * @param memoryMaxBytes the budget for bytes between sockets and disk, above 0
 * @param logLevel of kaka's own log lines: error, warn, info, debug, trace
 * @param logFormat of log lines: plain, json
 * @param shutdownTimeout bound on a graceful stop, above 0
 * @param inForce every setting of kaka's, for those who look
 * @param akka for the actor system: every setting, kaka's own too, resolved
 */
public record KakaConfig(
    ServerConfig server,
    KafkaConfig kafka,
    String dir,
    LogConfig log,
    Duration retentionCheckInterval,
    CompactionConfig compaction,
    TopicsConfig topics,
    GroupConfig groups,
    TransactionConfig transactions,
    QuotaConfig quotas,
    AdminConfig admin,
    long memoryMaxBytes,
    String logLevel,
    String logFormat,
    Duration shutdownTimeout,
    List<SettingInForce> inForce,
    Config akka) {

  private static final long MIN_MEMORY_BYTES = 1 << 20;
  private static final int DEFAULT_MEMORY_PERCENT = 40;
  private static final int MAX_MEMORY_PERCENT = 80;
  private static final String SOCKET_BUFFER = "kaka.dispatchers.sockets.buffer-bytes";
  private static final int SOCKET_BUFFER_STEP = 4 << 10;
  private static final int MIN_SOCKET_BUFFER = 8 << 10;
  private static final int MAX_SOCKET_BUFFER = 128 << 10;
  private static final List<String> LOG_FORMATS = List.of("plain", "json");
  private static final List<String> LOG_LEVELS = List.of("error", "warn", "info", "debug", "trace");

  /** @throws ConfigException naming everything that is wrong */
  public static KakaConfig load(ConfigSources sources) throws ConfigException {
    return of(Settings.read(sources));
  }

  /**
   * The defaults with {@code hocon} over them; no file, system property or variable counts.
   *
   * @throws ConfigException naming everything that is wrong
   */
  public static KakaConfig parse(String hocon) throws ConfigException {
    return of(Settings.parse(hocon, Runtime.getRuntime().maxMemory()));
  }

  /** @throws ConfigException naming everything that is wrong */
  public static KakaConfig of(Settings settings) throws ConfigException {
    SettingsReader in = new SettingsReader(settings);
    ServerConfig server = server(in);
    KafkaConfig kafka = in.record("kaka.kafka", Map.of(),
        () -> new KafkaConfig(in.text("kaka.kafka.advertised-host"), in.count("kaka.kafka.advertised-port")));
    String dir = dir(in);
    LogConfig log = log(in);
    Duration retentionCheckInterval = between(in, "kaka.log.retention-check-interval", Duration.ofDays(1), "above 0, at most 1 day");
    CompactionConfig compaction = compaction(in, settings.maxHeapBytes());
    TopicsConfig topics = in.record("kaka.topics", Map.of(),
        () -> new TopicsConfig(in.flag("kaka.topics.auto-create"), in.count("kaka.topics.default-partitions")));
    GroupConfig groups = groups(in, settings.maxHeapBytes());
    TransactionConfig transactions = transactions(in, settings.maxHeapBytes());
    QuotaConfig quotas = quotas(in);
    long memoryMaxBytes = memoryMaxBytes(in, settings.maxHeapBytes());
    String logLevel = in.text("kaka.logging.level").toLowerCase(Locale.ROOT);
    in.check(LOG_LEVELS.contains(logLevel), "kaka.logging.level", "one of " + String.join(", ", LOG_LEVELS));
    String logFormat = in.text("kaka.logging.format").toLowerCase(Locale.ROOT);
    in.check(LOG_FORMATS.contains(logFormat), "kaka.logging.format", "one of " + String.join(", ", LOG_FORMATS));
    Duration shutdownTimeout = between(in, "kaka.shutdown-timeout", Duration.ofHours(1), "above 0, at most 1 hour");
    AdminConfig admin = in.record("kaka.admin", Map.of("max-series", "kaka.metrics.max-series", "hosts", "kaka.console.hosts"), () -> new AdminConfig(
        in.text("kaka.admin.host"),
        in.countOrOff("kaka.admin.port"),
        settings.isGiven("kaka.admin.port"),
        in.duration("kaka.admin.connection-time"),
        in.count("kaka.metrics.max-series"),
        in.flag("kaka.console.write"),
        names(in.text("kaka.console.hosts"))));
    checkCount(in, "kaka.dispatchers.sockets.threads", 0, 1024);
    int socketBufferBytes = in.intSize(SOCKET_BUFFER);
    in.check(socketBufferBytes == 0 || socketBufferBytes >= 1024 && socketBufferBytes <= 16 << 20, SOCKET_BUFFER, "0, or 1 KiB to 16 MiB");
    for (String dispatcher : List.of("kaka.dispatchers.log-io", "kaka.dispatchers.fetch-io")) {
      checkCount(in, dispatcher + ".threads", 1, 1024);
      checkCount(in, dispatcher + ".throughput", 1, 1_000_000);
    }
    checkTogether(settings, memoryMaxBytes, server.maxFrameBytes());

    if (!settings.problems().isEmpty()) {
      throw new ConfigException(settings.problems());
    }
    return new KakaConfig(server, kafka, dir, log, retentionCheckInterval, compaction, topics, groups, transactions, quotas, admin, memoryMaxBytes, logLevel, logFormat, shutdownTimeout, inForce(settings),
        withSocketBuffers(socketBufferBytes, settings.maxHeapBytes(), server.maxConnections(), withShutdownPhases(settings, shutdownTimeout)));
  }

  /**
   * What a read of a socket brings is in nobody's budget. Two reads of every connection may wait, so all together they are a third
   * of the heap at most.
   */
  private static Config withSocketBuffers(int givenBytes, long maxHeapBytes, int maxConnections, Config akka) {
    long share = maxHeapBytes / 6 / maxConnections / SOCKET_BUFFER_STEP * SOCKET_BUFFER_STEP;
    long bytes = Math.max(MIN_SOCKET_BUFFER, Math.min(MAX_SOCKET_BUFFER, share));
    return akka.withValue(SOCKET_BUFFER, ConfigValueFactory.fromAnyRef(givenBytes > 0 ? givenBytes : bytes));
  }

  /** The phases that have something to do share the time of a stop, so that slow clients leave some for closing the logs. */
  private static Config withShutdownPhases(Settings settings, Duration shutdownTimeout) {
    Map<String, Integer> percents =
        Map.of("service-requests-done", 60, "before-actor-system-terminate", 30, "actor-system-terminate", 10);
    Config akka = settings.merged();
    for (Map.Entry<String, Integer> phase : percents.entrySet()) {
      String key = "akka.coordinated-shutdown.phases." + phase.getKey() + ".timeout";
      if (!settings.isGiven(key)) {
        Duration timeout = shutdownTimeout.multipliedBy(phase.getValue()).dividedBy(100);
        akka = akka.withValue(key, ConfigValueFactory.fromAnyRef(timeout.toMillis() + "ms"));
      }
    }
    return akka;
  }

  private static ServerConfig server(SettingsReader in) {
    Map<String, String> keys = Map.of(
        "max-connections", "kaka.connections.max",
        "max-per-address", "kaka.connections.max-per-address",
        "window-requests", "kaka.connections.window-requests",
        "window-bytes", "kaka.connections.window-bytes",
        "max-frame-bytes", "kaka.connections.max-frame-bytes",
        "max-unpacked-bytes", "kaka.connections.max-unpacked-bytes",
        "max-fetch-bytes", "kaka.fetch.max-bytes",
        "max-fetch-wait", "kaka.fetch.max-wait");
    ConnectionTimeouts timeouts = in.record("kaka.connections", Map.of(), () -> new ConnectionTimeouts(
        in.duration("kaka.connections.idle-timeout"),
        in.duration("kaka.connections.frame-timeout"),
        in.duration("kaka.connections.write-timeout")));
    return in.record("kaka.listen", keys, () -> new ServerConfig(
        in.text("kaka.listen.host"),
        in.count("kaka.listen.port"),
        in.count("kaka.listen.backlog"),
        in.count("kaka.connections.max"),
        in.count("kaka.connections.max-per-address"),
        in.count("kaka.connections.window-requests"),
        in.size("kaka.connections.window-bytes"),
        in.intSize("kaka.connections.max-frame-bytes"),
        in.intSize("kaka.connections.max-unpacked-bytes"),
        timeouts,
        in.intSize("kaka.fetch.max-bytes"),
        in.duration("kaka.fetch.max-wait")));
  }

  private static LogConfig log(SettingsReader in) {
    boolean preallocates = in.flag("kaka.log.preallocate") && !in.text("kaka.log.dir").isEmpty(); // memory has no syncs to spare
    return in.record("kaka.log", Map.of(), () -> new LogConfig(
        in.size("kaka.log.segment-bytes"),
        in.duration("kaka.log.segment-age"),
        in.intSize("kaka.log.index-interval-bytes"),
        in.duration("kaka.log.fsync-interval"),
        in.size("kaka.log.retention-bytes"),
        in.duration("kaka.log.retention-time"),
        in.size("kaka.log.min-free-bytes"),
        Cleanup.DELETE,
        preallocates ? Preallocation.USUAL : Preallocation.OFF));
  }

  private static CompactionConfig compaction(SettingsReader in, long maxHeapBytes) {
    String map = "kaka.log.compaction.map-bytes";
    CompactionConfig compaction = in.record("kaka.log.compaction", Map.of(), () -> new CompactionConfig(
        in.count("kaka.log.compaction.threads"), in.size(map), in.size("kaka.log.compaction.max-bytes-per-second")));
    in.check(compaction.mapBytes() <= maxHeapBytes / 4, map,
        "at most a quarter of the JVM's maximum heap, here " + (maxHeapBytes >> 22) + " MiB (java -Xmx)");
    return compaction;
  }

  private static GroupConfig groups(SettingsReader in, long maxHeapBytes) {
    String bytes = "kaka.groups.max-bytes";
    GroupConfig groups = in.record("kaka.groups", Map.of(), () -> new GroupConfig(
        in.duration("kaka.groups.min-session-timeout"),
        in.duration("kaka.groups.max-session-timeout"),
        in.duration("kaka.groups.initial-rebalance-delay"),
        in.duration("kaka.groups.offsets-retention"),
        in.count("kaka.groups.max"),
        in.count("kaka.groups.max-members"),
        in.intSize("kaka.groups.max-metadata-bytes"),
        in.size(bytes),
        in.size("kaka.groups.compact-bytes"),
        new GroupConfig.Epochs(
            in.duration("kaka.groups.consumer-session-timeout"), in.duration("kaka.groups.consumer-heartbeat-interval"))));
    in.check(groups.maxBytes() <= maxHeapBytes / 2, bytes,
        "at most half of the JVM's maximum heap, here " + (maxHeapBytes >> 21) + " MiB (java -Xmx)");
    return groups;
  }

  private static TransactionConfig transactions(SettingsReader in, long maxHeapBytes) {
    String bytes = "kaka.transactions.max-bytes";
    TransactionConfig transactions = in.record("kaka.transactions", Map.of(), () -> new TransactionConfig(
        in.duration("kaka.transactions.max-timeout"),
        in.duration("kaka.transactions.id-expiry"),
        in.size(bytes),
        in.size("kaka.transactions.compact-bytes")));
    in.check(transactions.maxBytes() <= maxHeapBytes / 4, bytes,
        "at most a quarter of the JVM's maximum heap, here " + (maxHeapBytes >> 22) + " MiB (java -Xmx)");
    return transactions;
  }

  private static QuotaConfig quotas(SettingsReader in) {
    return in.record("kaka.quotas", Map.of(), () -> new QuotaConfig(
        QuotaConfig.Per.of(in.text("kaka.quotas.per")),
        in.size("kaka.quotas.produce-bytes-per-second"),
        in.size("kaka.quotas.fetch-bytes-per-second"),
        in.duration("kaka.quotas.max-throttle"),
        in.count("kaka.quotas.max-clients"),
        QuotaOverrides.read(in, "kaka.quotas.overrides")));
  }

  /** Kaka's own: what an operator gives Akka is left out, since nobody here knows whether it may be shown. */
  private static List<SettingInForce> inForce(Settings settings) {
    return settings.inForce().stream()
        .filter(each -> settings.isKnown(each.key()))
        .map(each -> new SettingInForce(each.key(), each.value(), each.origin()))
        .toList();
  }

  private static Set<String> names(String commaSeparated) {
    return Stream.of(commaSeparated.toLowerCase(Locale.ROOT).split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toSet());
  }

  private static String dir(SettingsReader in) {
    String dir = in.text("kaka.log.dir");
    in.check(!dir.startsWith("~"), "kaka.log.dir", "a path without ~, which only a shell expands; in a file: ${HOME}\"/...\"");
    in.check(isPath(dir), "kaka.log.dir", "a path of this file system");
    return dir;
  }

  private static boolean isPath(String text) {
    try {
      Path.of(text);
      return true;
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static long memoryMaxBytes(SettingsReader in, long maxHeapBytes) {
    String key = "kaka.memory.max-bytes";
    long bytes = in.size(key);
    long limit = maxHeapBytes / 100 * MAX_MEMORY_PERCENT;
    in.check(bytes == 0 || (bytes >= MIN_MEMORY_BYTES && bytes <= limit), key,
        "0, or 1 MiB to " + MAX_MEMORY_PERCENT + " % of the JVM's maximum heap, here " + (limit >> 20) + " MiB (java -Xmx)");
    return bytes == 0 ? maxHeapBytes / 100 * DEFAULT_MEMORY_PERCENT : bytes;
  }

  private static Duration between(SettingsReader in, String key, Duration most, String expected) {
    Duration duration = in.duration(key);
    boolean isGood = !duration.isNegative() && !duration.isZero() && duration.compareTo(most) <= 0;
    in.check(isGood, key, "a duration " + expected);
    return duration;
  }

  private static void checkCount(SettingsReader in, String key, int least, int most) {
    int count = in.count(key);
    in.check(count >= least && count <= most, key, least + " to " + most);
  }

  /**
   * A request that is put together of pieces takes its size twice, so of half of the budget it could never be let in. The default may be too
   * large for a small machine: larger requests then get MEMORY. One that was given may not.
   */
  private static void checkTogether(Settings settings, long memoryMaxBytes, int maxFrameBytes) {
    String memory = "kaka.memory.max-bytes";
    String frame = "kaka.connections.max-frame-bytes";
    boolean isJudged = settings.isGiven(frame) && !settings.isRefused(frame) && !settings.isRefused(memory);
    if (isJudged && maxFrameBytes > Checks.LIGHT_BYTES && maxFrameBytes > memoryMaxBytes / 2) {
      settings.refuse(frame, "expected at most 1 MiB, or half of " + memory + ", which is " + memoryMaxBytes
          + ": a larger request takes its size twice and could never be let in");
    }
  }
}
