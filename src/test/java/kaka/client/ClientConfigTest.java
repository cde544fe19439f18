package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConfigTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, localhost, 9092, localhost:9092",
    "kaka.example:1, kaka.example, 1, kaka.example:1",
    "10.0.0.1:65535, 10.0.0.1, 65535, 10.0.0.1:65535",
    "[::1]:9093, ::1, 9093, [::1]:9093",
    "[::1], ::1, 9092, [::1]:9092",
    "fe80::1, fe80::1, 9092, [fe80::1]:9092"
  })
  void hostAndPortAreTakenApart(String text, String host, int port, String address) {
    ClientConfig config = ClientConfig.of(text);

    assertEquals(host, config.host());
    assertEquals(port, config.port());
    assertEquals(address, config.address());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":9092", "host:", "host:x", "host:0", "host:65536", "host:-1", "host:999999"})
  void whatIsNoAddressIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> ClientConfig.of(text));
  }

  @Test
  void backoffDoublesUpToItsBound() {
    ClientConfig config = ClientConfig.of("h").withRetryBackoff(Duration.ofMillis(50), Duration.ofMillis(300));

    assertEquals(Duration.ofMillis(50), config.backoff(1));
    assertEquals(Duration.ofMillis(100), config.backoff(2));
    assertEquals(Duration.ofMillis(200), config.backoff(3));
    assertEquals(Duration.ofMillis(300), config.backoff(4));
    assertEquals(Duration.ofMillis(300), config.backoff(1_000_000));
  }

  @Test
  void impossibleValuesAreRefused() {
    ClientConfig config = ClientConfig.of("h");
    ProducerConfig producer = ProducerConfig.defaults();
    ConsumerConfig consumer = ConsumerConfig.defaults();

    assertThrows(IllegalArgumentException.class, () -> config.withRequestTimeout(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> config.withConnectTimeout(Duration.ofDays(100)));
    assertThrows(IllegalArgumentException.class, () -> config.withClientId("x".repeat(256)));
    assertThrows(IllegalArgumentException.class, () -> config.withRetryBackoff(Duration.ofMillis(2), Duration.ofMillis(1)));
    assertThrows(IllegalArgumentException.class, () -> producer.withBatchBytes(1023));
    assertThrows(IllegalArgumentException.class, () -> producer.withBufferBytes(producer.batchBytes() - 1));
    assertThrows(IllegalArgumentException.class, () -> producer.withLinger(producer.deliveryTimeout()));
    assertThrows(IllegalArgumentException.class, () -> producer.withLinger(Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> consumer.withFetchBytes(1023));
    assertThrows(IllegalArgumentException.class, () -> consumer.withPrefetchBytes(consumer.fetchBytes() - 1));
    assertThrows(IllegalArgumentException.class, () -> consumer.withMaxWait(Duration.ZERO));
  }
}
