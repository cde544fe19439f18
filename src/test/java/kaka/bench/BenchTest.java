package kaka.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import kaka.broker.TestBroker;
import kaka.client.Admin;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.TopicInfo;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Short loads against a broker in memory. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BenchTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private static TestBroker broker;
  private static ClientConfig address;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
    address = ClientConfig.of("127.0.0.1", broker.address().getPort());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static final Traffic TRAFFIC = new Traffic(5, 2, 4, 50, 3, 8 << 10, 64 << 10, 0);

  private static BenchConfig config(Load load, Traffic traffic, long records) {
    Span span = new Span(Duration.ZERO, LIMIT, records);
    return new BenchConfig(address, load, Optional.empty(), false, 3, 2, true, traffic, span);
  }

  private static <T> T withAdmin(Function<Admin, T> work) {
    try (KakaClient client = KakaClient.connect(address)) {
      return work.apply(client.admin());
    }
  }

  private static List<String> topics() {
    return withAdmin(admin -> KakaException.await(admin.listTopics()).stream().map(TopicInfo::name).toList());
  }

  @Test
  void produceCountsWhatItWasToldToAndVerifiesIt() throws Exception {
    LoadResult result = new Bench(config(Load.PRODUCE, TRAFFIC, 3000)).run();

    Measured produced = result.produced().orElseThrow();
    assertEquals(3000, produced.records());
    assertEquals(3000 * 50, produced.bytes());
    assertEquals(1000, produced.requests());
    assertEquals(1000, produced.latencies().getTotalCount());
    assertTrue(produced.latencyUs(50) > 0 && produced.latencyUs(50) <= produced.latencyUs(100));
    Verification verification = result.verification().orElseThrow();
    assertTrue(result.isGood(), verification.toString());
    assertEquals(3000, verification.records());
    assertFalse(topics().stream().anyMatch(name -> name.startsWith("bench-")), topics().toString());
  }

  @Test
  void fetchReadsWhatWasFilledIn() throws Exception {
    LoadResult result = new Bench(config(Load.FETCH, TRAFFIC, 20_000)).run();

    Measured fetched = result.fetched().orElseThrow();
    assertTrue(fetched.records() >= 20_000, "more than the fill has, so more than one round: " + fetched.records());
    assertTrue(fetched.bytes() > fetched.records() * 50);
    assertTrue(result.produced().isEmpty());
    assertTrue(result.isGood(), result.verification().toString());
  }

  @Test
  void endToEndSeesEveryRecord() throws Exception {
    LoadResult result = new Bench(config(Load.END_TO_END, TRAFFIC.withRate(20_000), 3000)).run();

    assertEquals(3000, result.produced().orElseThrow().records());
    assertEquals(3000, result.endToEnd().orElseThrow().records());
    assertEquals(3000, result.endToEnd().orElseThrow().latencies().getTotalCount());
    assertTrue(result.isGood());
  }

  @Test
  void mixedReadsAndWritesOneTopic() throws Exception {
    LoadResult result = new Bench(config(Load.MIXED, TRAFFIC, 30_000)).run();

    assertEquals(30_000, result.produced().orElseThrow().records());
    assertTrue(result.fetched().orElseThrow().records() > 0);
    assertTrue(result.isGood(), result.verification().toString());
    assertTrue(result.verification().orElseThrow().records() > 30_000, "the fill is verified, too");
  }

  /** The broker acknowledged them, and then they were taken away. */
  @Test
  void recordsThatAreGoneAreFound() throws Exception {
    CompletableFuture<String> used = new CompletableFuture<>();
    Bench bench =
        new Bench(
            config(Load.PRODUCE, TRAFFIC, 3000),
            admin -> {
              String topic = KakaException.await(admin.listTopics()).stream()
                  .map(TopicInfo::name).filter(name -> name.startsWith("bench-produce-")).findFirst().orElseThrow();
              used.complete(topic);
              KakaException.await(admin.deleteRecords(new TopicPartition(topic, 1), 30));
            });

    LoadResult result = bench.run();

    assertFalse(result.isGood());
    assertEquals(10, result.verification().orElseThrow().lost(), result.verification().toString());
    assertTrue(result.verification().orElseThrow().first().orElseThrow().contains("missing"));
    assertFalse(topics().contains(used.join()), "deleted all the same");
  }

  @Test
  void aNamedTopicIsCreatedUsedTwiceAndLeft() throws Exception {
    Span span = new Span(Duration.ZERO, LIMIT, 300);
    BenchConfig config =
        new BenchConfig(address, Load.PRODUCE, Optional.of("mine"), false, 2, 1, true, TRAFFIC, span);

    LoadResult first = new Bench(config).run();
    LoadResult second = new Bench(config).run();

    assertTrue(first.isGood() && second.isGood());
    assertEquals(300, second.verification().orElseThrow().records(), "its own");
    assertTrue(topics().contains("mine"));
    assertEquals(2, withAdmin(admin -> KakaException.await(admin.describeTopic("mine"))).partitions().size());

    BenchConfig reading =
        new BenchConfig(address, Load.FETCH, Optional.of("mine"), false, 2, 1, true, TRAFFIC, span);
    assertTrue(new Bench(reading).run().fetched().orElseThrow().records() >= 300);
  }

  @Test
  void anEmptyTopicHasNothingToFetch() {
    BenchConfig config =
        new BenchConfig(
            address, Load.FETCH, Optional.of("empty"), false, 1, 1, true, TRAFFIC, new Span(Duration.ZERO, LIMIT, 1));

    IOException refused = assertThrows(IOException.class, () -> new Bench(config).run());

    assertEquals("topic empty has nothing to fetch", refused.getMessage());
  }

  @Test
  void requestsThatTheBrokerWouldNotTakeAreRefusedBeforeTheyAreSent() {
    Traffic tooLarge = new Traffic(1, 1, 1, 65 << 20, 1, 1024, 1024, 0);

    IOException refused =
        assertThrows(IOException.class, () -> new Bench(config(Load.PRODUCE, tooLarge, 1)).run());

    assertTrue(refused.getMessage().contains("the broker takes"), refused.getMessage());
  }

  @Test
  void aStopEndsItWithWhatThereIs() throws Exception {
    Span span = new Span(Duration.ZERO, LIMIT, 0);
    Bench bench =
        new Bench(
            new BenchConfig(address, Load.PRODUCE, Optional.empty(), false, 1, 1, true, TRAFFIC.withRate(2000), span));
    CompletableFuture<LoadResult> running =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return bench.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            },
            command -> new Thread(command).start());
    TestBroker.awaitTrue("records", () -> bench.status().records() > 100);

    bench.stop();

    LoadResult result = running.join();
    assertTrue(result.isGood());
    assertTrue(result.verification().orElseThrow().records() > 100);
  }

  @Test
  void aBrokerThatGoesAwayFailsTheRun() throws Exception {
    try (TestBroker leaving = TestBroker.start("kaka.shutdown-timeout = 100ms")) {
      ClientConfig there = ClientConfig.of("127.0.0.1", leaving.address().getPort());
      Span span = new Span(Duration.ZERO, LIMIT, 0);
      Bench bench =
          new Bench(new BenchConfig(there, Load.PRODUCE, Optional.empty(), false, 1, 1, true, TRAFFIC, span));
      CompletableFuture<Throwable> failed = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  bench.run();
                  failed.complete(new AssertionError("it did not fail"));
                } catch (IOException | KakaException e) {
                  failed.complete(e);
                }
              });
      thread.start();
      TestBroker.awaitTrue("records", () -> bench.status().records() > 100);

      leaving.stop();

      assertTrue(failed.join() instanceof IOException, failed.join().toString());
    }
  }
}
