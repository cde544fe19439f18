package kaka.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import kaka.console.AdminConfig;
import kaka.log.Preallocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values: their types, ranges and combinations. Where they come from is {@link SettingsTest}'s. */
class KakaConfigTest {
  @Test
  void defaultsAreThoseOfReferenceConf() throws ConfigException {
    KakaConfig config = KakaConfig.parse("");

    assertEquals("127.0.0.1", config.server().host());
    assertEquals(9092, config.server().port());
    assertEquals(64, config.server().windowRequests());
    assertEquals(32 << 20, config.server().windowBytes());
    assertEquals(64 << 20, config.server().maxFrameBytes());
    assertEquals("./kaka-data", config.dir());
    assertEquals(128 << 20, config.log().segmentBytes());
    assertEquals(Duration.ofDays(7), config.log().segmentAge());
    assertEquals(Duration.ZERO, config.log().fsyncInterval());
    assertEquals(-1, config.log().retentionBytes());
    assertEquals(Duration.ZERO, config.log().retentionTime());
    assertEquals(64 << 20, config.log().minFreeBytes());
    assertTrue(config.topics().autoCreate());
    assertEquals(1, config.topics().defaultPartitions());
    assertEquals(Duration.ofSeconds(30), config.shutdownTimeout());
    assertEquals(new AdminConfig("127.0.0.1", 9644, false, Duration.ofSeconds(60), 1000, false, java.util.Set.of()), config.admin());
    assertEquals("info", config.logLevel());
    assertEquals(Runtime.getRuntime().maxMemory() / 100 * 40, config.memoryMaxBytes());
  }

  /** In memory there is no sync that zeros could make cheaper. */
  @Test
  void preallocationIsTheDefaultButInMemory() throws ConfigException {
    assertEquals(Preallocation.USUAL, KakaConfig.parse("").log().preallocation());
    assertEquals(Preallocation.OFF, KakaConfig.parse("kaka.log.preallocate = false").log().preallocation());
    assertEquals(Preallocation.OFF, KakaConfig.parse("kaka.log.dir = \"\"").log().preallocation());
  }

  @ParameterizedTest
  @CsvSource({"64MiB,67108864", "64m,67108864", "64M,67108864", "1000,1000", "'1000',1000", "1.5k,1536", "1kB,1000"})
  void sizesAreHocons(String written, long bytes) throws ConfigException {
    assertEquals(bytes, KakaConfig.parse("kaka.log.min-free-bytes = " + written).log().minFreeBytes());
    assertEquals(bytes, KakaConfig.parse("kaka.log.min-free-bytes = \"" + written + "\"").log().minFreeBytes());
  }

  @ParameterizedTest
  @CsvSource({"0s,0", "250,250", "250ms,250", "2s,2000", "1.5s,1500", "3m,180000"})
  void durationsAreHocons(String written, long ms) throws ConfigException {
    assertEquals(ms, KakaConfig.parse("kaka.log.fsync-interval = " + written).log().fsyncInterval().toMillis());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "listen.port = 70000 | kaka.listen.port = 70000 (String:1): expected 0 to 65535",
    "listen.port = http | kaka.listen.port = \"http\" (String:1): expected a whole number",
    "listen.port = 1.5 | kaka.listen.port = 1.5 (String:1): expected a whole number",
    "listen.port = 99999999999 | kaka.listen.port = 99999999999 (String:1): expected a whole number",
    "listen.port = [9092] | kaka.listen.port = [9092] (String:1): expected a whole number",
    "listen.port = null | kaka.listen.port = null (String:1): expected a value",
    "listen.port { http = 80 } | kaka.listen.port = {\"http\":80} (String:1): expected a whole number",
    "log.segment-bytes = 5 | kaka.log.segment-bytes = 5 (String:1): expected at least 1 KiB",
    "log.segment-bytes = 5 bananas | kaka.log.segment-bytes = \"5 bananas\" (String:1): expected a size such as 64MiB, 512k or plain bytes",
    "log.segment-age = soon | kaka.log.segment-age = \"soon\" (String:1): expected a duration such as 500ms, 30s or 7d",
    "log.dir = \"~/data\" | kaka.log.dir = \"~/data\" (String:1): expected a path without ~, which only a shell expands; in a file: ${HOME}\"/...\"",
    "log.retention-check-interval = 0 | kaka.log.retention-check-interval = 0 (String:1): expected a duration above 0, at most 1 day",
    "connections.max = 0 | kaka.connections.max = 0 (String:1): expected at least 1",
    "connections.max-per-address = -1 | kaka.connections.max-per-address = -1 (String:1): expected 0 for no such limit, or at least 1",
    "connections.idle-timeout = 5ms | kaka.connections.idle-timeout = \"5ms\" (String:1): expected 0, or 100 ms to 1 day",
    "connections.frame-timeout = 0 | kaka.connections.frame-timeout = 0 (String:1): expected 100 ms to 1 day",
    "connections.write-timeout = 2d | kaka.connections.write-timeout = \"2d\" (String:1): expected 100 ms to 1 day",
    "connections.max-frame-bytes = 4GiB | kaka.connections.max-frame-bytes = \"4GiB\" (String:1): expected a size such as 64MiB, below 2 GiB",
    "fetch.max-wait = 2h | kaka.fetch.max-wait = \"2h\" (String:1): expected 0 to 1 hour",
    "topics.auto-create = perhaps | kaka.topics.auto-create = \"perhaps\" (String:1): expected true or false",
    "topics.default-partitions = 0 | kaka.topics.default-partitions = 0 (String:1): expected 1 to 10000",
    "admin.port = on | kaka.admin.port = \"on\" (String:1): expected a whole number, or off",
    "admin.port = 65536 | kaka.admin.port = 65536 (String:1): expected 0 to 65535, or off",
    "admin.host = \"\" | kaka.admin.host = \"\" (String:1): expected a host name or address, 0.0.0.0 for all of this machine's",
    "metrics.max-series = 0 | kaka.metrics.max-series = 0 (String:1): expected 1 to 100000",
    "logging.format = xml | kaka.logging.format = \"xml\" (String:1): expected one of plain, json",
    "logging.level = loud | kaka.logging.level = \"loud\" (String:1): expected one of error, warn, info, debug, trace",
    "shutdown-timeout = 0 | kaka.shutdown-timeout = 0 (String:1): expected a duration above 0, at most 1 hour",
    "dispatchers.log-io.threads = 0 | kaka.dispatchers.log-io.threads = 0 (String:1): expected 1 to 1024",
    "listen.prot = 1 | kaka.listen.prot = 1 (String:1): unknown key; nearest known: kaka.listen.port",
    "lgo.dir = x | kaka.lgo.dir = \"x\" (String:1): unknown key; nearest known: kaka.log.dir",
    "frobnicate {} | kaka.frobnicate = {} (String:1): unknown key; nearest known: kaka.log.dir",
    "log = 5 | kaka.log = 5 (String:1): a section, expected kaka.log { ... }",
    "dispatchers.log-io.executor = x | kaka.dispatchers.log-io.executor = \"x\" (String:1): unknown key; nearest known: kaka.dispatchers.log-io.threads",
  })
  void badValueIsNamedWithWhatWasExpected(String hocon, String problem) {
    ConfigException e = assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka." + hocon));

    assertEquals(List.of(problem), e.problems());
  }

  @Test
  void everyProblemIsReportedAtOnce() {
    ConfigException e = assertThrows(ConfigException.class, () -> KakaConfig.parse("""
        kaka.listen { port = -1, backlog = 0 }
        kaka.log { segment-bytes = 1, retention-bytes = -2 }
        kaka.topic.auto-create = no
        """));

    assertEquals(List.of(
        "kaka.topic.auto-create = \"no\" (String:3): unknown key; nearest known: kaka.topics.auto-create",
        "kaka.listen.port = -1 (String:1): expected 0 to 65535",
        "kaka.listen.backlog = 0 (String:1): expected at least 1",
        "kaka.log.segment-bytes = 1 (String:2): expected at least 1 KiB",
        "kaka.log.retention-bytes = -2 (String:2): expected at least 0, or -1 to keep everything"), e.problems());
  }

  @Test
  void memoryIsAtMostEightyPercentOfTheHeap() throws ConfigException {
    long heap = Runtime.getRuntime().maxMemory();

    assertEquals(heap / 100 * 80, KakaConfig.parse("kaka.memory.max-bytes = " + heap / 100 * 80).memoryMaxBytes());
    ConfigException tooMuch =
        assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka.memory.max-bytes = " + heap));
    assertTrue(tooMuch.getMessage().contains("80 % of the JVM's maximum heap"), tooMuch.getMessage());
  }

  /** A request of more than 1 MiB takes its size twice, as LargeRequestsTest shows. */
  @Test
  void frameThatTheMemoryCannotHoldIsRefusedIfItWasChosen() throws ConfigException {
    assertEquals(64 << 20, KakaConfig.parse("kaka.memory.max-bytes = 2m").server().maxFrameBytes(), "the default is no choice");
    assertEquals(2 << 20, KakaConfig.parse("kaka { memory.max-bytes = 4m, connections.max-frame-bytes = 2m }").server().maxFrameBytes());
    assertEquals(1 << 20, KakaConfig.parse("kaka { memory.max-bytes = 1m, connections.max-frame-bytes = 1m }").server().maxFrameBytes(), "once");

    assertEquals(List.of("kaka.connections.max-frame-bytes = 2097153 (String:1): expected at most 1 MiB, or half of kaka.memory.max-bytes,"
        + " which is 4194304: a larger request takes its size twice and could never be let in"),
        problems(Settings.parse("kaka { memory.max-bytes = 4m, connections.max-frame-bytes = 2097153 }", 1L << 30)));
    assertEquals(1, problems(Settings.parse("kaka { memory.max-bytes = 1m, connections.max-frame-bytes = 1048577 }", 1L << 30)).size());
  }

  /** Without a budget that was chosen, the one that follows from the heap counts. */
  @Test
  void frameIsComparedWithTheBudgetThatThereIs() throws ConfigException {
    String given = "kaka.connections.max-frame-bytes = 64MiB";

    assertEquals(64 << 20, KakaConfig.of(Settings.parse(given, 400L << 20)).server().maxFrameBytes());
    assertTrue(problems(Settings.parse(given, 300L << 20)).get(0).contains("kaka.memory.max-bytes, which is " + (300L << 20) / 100 * 40));
  }

  private static List<String> problems(Settings settings) {
    return assertThrows(ConfigException.class, () -> KakaConfig.of(settings)).problems();
  }

  @ParameterizedTest
  @CsvSource({"off", "\"off\"", "-1"})
  void adminServerCanBeOff(String written) throws ConfigException {
    assertTrue(KakaConfig.parse("kaka.admin.port = " + written).admin().isOff());
  }

  @Test
  void emptyDirectoryMeansMemory() throws ConfigException {
    assertEquals("", KakaConfig.parse("kaka.log.dir = \"\"").dir());
  }

  @Test
  void akkaGetsKakasSettingsOverItsOwnAndUsersOverThose() throws ConfigException {
    KakaConfig config = KakaConfig.parse("""
        kaka { dispatchers.log-io.threads = 3 }
        akka.actor.default-dispatcher.throughput = 11
        """);

    assertEquals("akka.actor.default-dispatcher", config.akka().getString("akka.io.tcp.worker-dispatcher"));
    assertEquals(11, config.akka().getInt("akka.actor.default-dispatcher.throughput"));
    assertEquals("thread-pool-executor", config.akka().getString("akka.actor.default-dispatcher.executor"));
    assertEquals(3, config.akka().getInt("kaka.dispatchers.log-io.thread-pool-executor.fixed-pool-size"));
  }

  /** Reads of sockets are in nobody's budget: all that can wait at a time are a third of the heap, where 8 KiB each are not more. */
  @ParameterizedTest
  @CsvSource({"1, 131072", "1300, 131072", "10000, 16384", "1000000, 8192"})
  void socketBuffersOfAllConnectionsFitTheHeap(int connections, int bytes) throws ConfigException {
    String key = "kaka.dispatchers.sockets.buffer-bytes";
    String max = "kaka.connections.max = " + connections;

    assertEquals(bytes, KakaConfig.of(Settings.parse(max, 1L << 30)).akka().getInt(key));
    assertEquals(5000, KakaConfig.of(Settings.parse(max + "\n" + key + " = 5000", 1L << 30)).akka().getInt(key), "as the operator says");
  }

  /** Whatever the clients do, there is time left for closing the logs. */
  @Test
  void shutdownPhasesShareTheTimeOfAStop() throws ConfigException {
    String phases = "akka.coordinated-shutdown.phases.";
    KakaConfig config =
        KakaConfig.parse("kaka.shutdown-timeout = 10s\n" + phases + "actor-system-terminate.timeout = 3s");

    assertEquals(Duration.ofSeconds(6), config.akka().getDuration(phases + "service-requests-done.timeout"));
    assertEquals(Duration.ofSeconds(3), config.akka().getDuration(phases + "before-actor-system-terminate.timeout"));
    assertEquals(Duration.ofSeconds(3), config.akka().getDuration(phases + "actor-system-terminate.timeout"));
    assertEquals(Duration.ofSeconds(10), config.akka().getDuration("akka.coordinated-shutdown.default-phase-timeout"));
  }

  /** Akka's scheduler takes no more than some months; what nobody can mean is refused at the start, not by a partition. */
  @Test
  void durationsThatNobodyCanMeanAreRefused() {
    for (String key : java.util.List.of("kaka.log.fsync-interval", "kaka.log.retention-check-interval", "kaka.shutdown-timeout")) {
      ConfigException refused = assertThrows(ConfigException.class, () -> KakaConfig.parse(key + " = 30000d"));
      assertTrue(refused.problems().get(0).startsWith(key), refused.getMessage());
    }
  }

  @Test
  void valueInPlaceOfASectionIsNamedAlsoWhenAnotherSourceSetsAKeyBelowIt() {
    ConfigException refused =
        assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka.listen = 5, kaka.admin.port = off, kaka.listen.port = 0"));

    assertTrue(refused.getMessage().contains("kaka.listen"), refused.getMessage());
  }
}
