package kaka.junit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import kaka.broker.BrokerStartException;
import kaka.broker.KakaBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.protocol.Hello;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The extension as its users have it: this class is one. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KakaExtensionTest {
  @RegisterExtension static final KakaExtension SHARED = new KakaExtension("kaka.topics.auto-create = true");

  private static final Set<KakaBroker> SEEN = new HashSet<>();
  private static RawConnection toTheFirst;

  @RegisterExtension final KakaExtension own = new KakaExtension();

  /** @return the offset of what was produced */
  private static long produce(String bootstrapServers) {
    try (KakaClient client = KakaClient.connect(ClientConfig.of(bootstrapServers));
        Producer producer = client.producer(ProducerConfig.defaults())) {
      return producer.send(ProducerRecord.of("greetings", "hello".getBytes(UTF_8))).join().offset();
    }
  }

  @Test
  @Order(1)
  void oneBrokerForAllTestsAndOneForEach() throws IOException {
    assertNotEquals(SHARED.broker().address(), own.broker().address());
    assertEquals(0, produce(SHARED.bootstrapServers()));
    assertEquals(0, produce(own.bootstrapServers()));
    SEEN.add(own.broker());
    toTheFirst = new RawConnection(own.broker().address());
    toTheFirst.ask(new Hello(1, 1, "", "")); // accepted: what the kernel has in its queue when the port closes is reset
  }

  @Test
  @Order(2)
  void theSharedOneGoesOnAndTheOtherIsAnother() throws IOException {
    assertEquals(1, produce(SHARED.bootstrapServers()));
    assertEquals(0, produce(own.bootstrapServers()));
    assertTrue(SEEN.add(own.broker()));
    try (RawConnection left = toTheFirst) { // its port may be another's by now
      assertEquals(-1, left.socket().getInputStream().read(), "stopped");
    }
  }

  @Nested
  class WithAnother {
    @Test
    void nestedClassesShareIt() {
      assertTrue(SHARED.broker().address().getPort() > 0);
    }
  }

  @AfterAll
  static void stillRuns() {
    assertTrue(SHARED.broker().address().getPort() > 0);
  }

  @Test
  void outsideOfATestThereIsNone() {
    assertThrows(IllegalStateException.class, () -> new KakaExtension().broker());
  }

  @Test
  void badSettingsAreNamed() {
    BrokerStartException refused = assertThrows(BrokerStartException.class, () -> KakaBroker.start("kaka.no-such = 1"));
    assertTrue(refused.getMessage().contains("kaka.no-such"), refused.getMessage());
  }
}
