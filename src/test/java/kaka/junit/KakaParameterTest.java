package kaka.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import kaka.broker.KakaBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(KakaExtension.class)
class KakaParameterTest {
  @Test
  void aTestTakesTheBrokerAsAParameter(KakaBroker broker) {
    try (KakaClient client = KakaClient.connect(ClientConfig.of(broker.bootstrapServers()))) {
      assertEquals(0, client.admin().listTopics().join().size());
    }
  }

  /** What README shows is compiled and run. */
  @Test
  void readmesExampleIsOneOfTheseTests() throws Exception {
    String source = Files.readString(Path.of("src/test/java/kaka/junit/OrdersTest.java"));
    assertTrue(Files.readString(Path.of("README.md")).contains(source.substring(source.indexOf("class OrdersTest"))));
  }
}
