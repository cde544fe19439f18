package kaka.quota;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

/** Who owes how much, with a clock that stands until it is moved. */
class QuotasTest {
  private static final String A = "a";
  private static final String B = "b";

  private long nowNs = 77;

  /** 1000 bytes a second to produce, 2000 to fetch. */
  private Quotas quotas(int maxClients, QuotaConfig.Override... overrides) {
    QuotaConfig config =
        new QuotaConfig(QuotaConfig.Per.CLIENT_ID, 1000, 2000, Duration.ofSeconds(10), maxClients, List.of(overrides));
    return new Quotas(config, () -> nowNs);
  }

  private void advance(long millis) {
    nowNs += millis * 1_000_000;
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }

  @Test
  void secondsWorthGoesAtOnceAndWhatIsBeyondIsPaidForByTime() {
    Quotas quotas = quotas(10);

    assertEquals(ms(0), quotas.produced(A, 1000));
    assertEquals(ms(500), quotas.produced(A, 500));
    assertEquals(ms(750), quotas.produced(A, 250), "both are owed");
    advance(750);
    assertEquals(ms(0), quotas.produced(A, 0));
    assertEquals(ms(1), quotas.produced(A, 1));
  }

  /** However long a client was away, a second's worth is all it finds. */
  @Test
  void nothingIsSavedUpBeyondASecondsWorth() {
    Quotas quotas = quotas(10);
    quotas.produced(A, 1000);
    advance(3_600_000);

    assertEquals(ms(1000), quotas.produced(A, 2000));
  }

  @Test
  void directionsAndClientsAreCountedApart() {
    Quotas quotas = quotas(10);
    quotas.produced(A, 5000);

    assertEquals(ms(0), quotas.fetched(A, 2000));
    assertEquals(ms(0), quotas.produced(B, 1000));
    assertEquals(ms(100), quotas.fetched(A, 200));
  }

  @Test
  void noRequestHasItsClientWaitForLongerThanTheBound() {
    Quotas quotas = quotas(10);

    assertEquals(ms(10_000), quotas.produced(A, 1 << 30));
    assertEquals(ms(10_000), quotas.produced(A, Long.MAX_VALUE));
    advance(10_000);
    assertEquals(ms(1), quotas.produced(A, 1), "what would have been beyond is not owed");
  }

  @Test
  void answerIsCutToWhatIsLeftOfASecondsWorthButNeverToNothing() {
    Quotas quotas = quotas(10);

    assertEquals(2000, quotas.fetchRoom(A, 1 << 20));
    assertEquals(100, quotas.fetchRoom(A, 100));
    quotas.fetched(A, 1500);
    assertEquals(500, quotas.fetchRoom(A, 1 << 20));
    quotas.fetched(A, 1500);
    assertEquals(1, quotas.fetchRoom(A, 1 << 20));
    assertEquals(0, quotas.fetchRoom(A, 0), "who wants nothing gets nothing");
  }

  /** For who cannot be held up while it owes: asking adds nothing. */
  @Test
  void whatIsOwedCanBeAsked() {
    Quotas quotas = quotas(10);
    assertEquals(ms(0), quotas.produceOwed(A));

    quotas.produced(A, 1500);
    quotas.fetched(A, 2200);

    assertEquals(ms(500), quotas.produceOwed(A));
    assertEquals(ms(500), quotas.produceOwed(A));
    assertEquals(ms(100), quotas.fetchOwed(A));
    assertEquals(ms(0), quotas.produceOwed(B));
    advance(200);
    assertEquals(ms(300), quotas.produceOwed(A));
    assertEquals(ms(0), quotas.fetchOwed(A));
    assertEquals(ms(0), new Quotas(QuotaConfig.OFF, () -> nowNs).produceOwed(A));
  }

  @Test
  void overridesWinAndOneOfThemCanBeAny() {
    Quotas quotas = quotas(10, new QuotaConfig.Override(B, 4000, 0));

    assertEquals(ms(250), quotas.produced(B, 5000));
    assertEquals(ms(0), quotas.fetched(B, Long.MAX_VALUE));
    assertEquals(1 << 30, quotas.fetchRoom(B, 1 << 30));
    assertEquals(ms(4000), quotas.produced(A, 5000));
  }

  /** Names that are made up fill the table, and all beyond have one rate together. */
  @Test
  void clientsBeyondTheBoundShareOneRate() {
    Quotas quotas = quotas(3, new QuotaConfig.Override(B, 1000, 0));
    for (int i = 0; i < 3; i++) {
      assertEquals(ms(0), quotas.produced("made up " + i, 1000));
    }

    assertEquals(ms(0), quotas.produced("made up 3", 1000));
    assertEquals(ms(1000), quotas.produced("made up 4", 1000));
    assertEquals(3, quotas.clientCount());
    assertEquals(ms(1000), quotas.produced("made up 0", 1000), "who has a place keeps it");
    assertEquals(ms(0), quotas.produced(B, 1000), "and so has whom the configuration names");
  }

  /** One that is forgotten had a second's worth, which is what a new one has: nobody gains by it. */
  @Test
  void clientsAtRestMakeRoomAndOnlyThey() {
    Quotas quotas = quotas(2);
    quotas.produced(A, 1000);
    quotas.produced(B, 2500);
    quotas.produced("c", 1); // the crowd; the table was looked through
    advance(1000);

    assertEquals(ms(0), quotas.produced("d", 1000), "in the place of a");
    assertEquals(2, quotas.clientCount());
    assertEquals(ms(1500), quotas.produced(B, 1000), "b still owes");
    assertEquals(ms(0), quotas.produced(A, 1), "a is one of the crowd, which has forgotten c's byte");
    assertEquals(ms(500), quotas.produced("e", 1499), "as is e");
  }

  @Test
  void longNamesShareOneRateToo() {
    Quotas quotas = quotas(100);
    quotas.produced("x".repeat(256), 1000);

    assertEquals(ms(1000), quotas.produced("y".repeat(32_000), 1000));
    assertEquals(0, quotas.clientCount());
    assertEquals(ms(0), quotas.produced("x".repeat(255), 1000));
  }

  @Test
  void clientsAreToldApartByWhatTheConfigurationSays() {
    assertEquals("id", quotas(1).nameOf("id", "1.2.3.4"));
    QuotaConfig byAddress = new QuotaConfig(QuotaConfig.Per.ADDRESS, 1, 1, ms(1), 1, List.of());
    assertEquals("1.2.3.4", new Quotas(byAddress, () -> 0).nameOf("id", "1.2.3.4"));
  }

  @Test
  void offAsksNobody() {
    Quotas off =
        new Quotas(
            QuotaConfig.OFF,
            () -> {
              if (nowNs++ > 77) { // the start may look
                throw new AssertionError("the clock was asked");
              }
              return nowNs;
            });

    assertTrue(off.isOff());
    assertEquals(ms(0), off.produced(A, Long.MAX_VALUE));
    assertEquals(ms(0), off.fetched(A, Long.MAX_VALUE));
    assertEquals(7, off.fetchRoom(A, 7));
    assertEquals(0, off.clientCount());
  }

  /** Whoever obeys never moves more than the rate and the last request, whatever the sizes and pauses. */
  @Test
  void obedientClientsKeepTheRate() {
    Random random = new Random(TestSeed.get());
    Quotas quotas = quotas(10);
    long startNs = nowNs;
    long moved = 0;
    for (int i = 0; i < 10_000; i++) {
      int bytes = random.nextInt(3000);
      long allowed = (nowNs - startNs) / 1_000_000 + 1000;
      assertTrue(moved <= allowed + 1, moved + " bytes, " + allowed + " allowed");
      moved += bytes;
      nowNs += quotas.produced(A, bytes).toNanos() + (random.nextInt(3) == 0 ? random.nextInt(1_500_000_000) : 0);
    }
    assertTrue(moved > 1_000_000);
  }

  @Test
  void whatIsWrongIsNamed() {
    assertWrong("produce-bytes-per-second", () -> new QuotaConfig(QuotaConfig.Per.CLIENT_ID, -1, 0, ms(1), 1, List.of()));
    assertWrong("fetch-bytes-per-second", () -> new QuotaConfig(QuotaConfig.Per.CLIENT_ID, 0, -1, ms(1), 1, List.of()));
    assertWrong("max-throttle", () -> new QuotaConfig(QuotaConfig.Per.CLIENT_ID, 0, 0, ms(0), 1, List.of()));
    assertWrong("max-throttle", () -> new QuotaConfig(QuotaConfig.Per.CLIENT_ID, 0, 0, ms(600_001), 1, List.of()));
    assertWrong("max-clients", () -> new QuotaConfig(QuotaConfig.Per.CLIENT_ID, 0, 0, ms(1), 0, List.of()));
    assertWrong("per", () -> QuotaConfig.Per.of("user"));
    assertWrong("overrides", () -> quotas(1, new QuotaConfig.Override(A, 1, 1), new QuotaConfig.Override(A, 2, 2)));
    assertWrong("overrides", () -> new QuotaConfig.Override(A, -1, 0));
    for (String name : List.of("example.org", "", "1.2.3", "300.1.1.1", "12")) {
      assertWrong("overrides", () -> byAddress(name));
    }
  }

  private static QuotaConfig byAddress(String client) {
    return new QuotaConfig(QuotaConfig.Per.ADDRESS, 0, 0, ms(1), 1, List.of(new QuotaConfig.Override(client, 1, 1)));
  }

  /** As the addresses of connections are written. */
  @Test
  void addressesHaveOneForm() {
    assertEquals("0:0:0:0:0:0:0:1", byAddress("::1").overrides().get(0).client());
    assertEquals("10.0.0.7", byAddress("10.0.0.7").overrides().get(0).client());
  }

  private static void assertWrong(String component, org.junit.jupiter.api.function.Executable making) {
    String message = assertThrows(IllegalArgumentException.class, making).getMessage();
    assertTrue(message.startsWith(component + " "), message);
  }
}
