package kaka.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** README's example, to the letter. */
class OrdersTest {
  @RegisterExtension static final KakaExtension KAKA = new KakaExtension(); // one for the class; not static: one for each test

  @Test
  void ordersAreStored() {
    try (KakaClient client = KakaClient.connect(ClientConfig.of(KAKA.bootstrapServers()))) { // or any Kafka client
      client.admin().createTopic("orders", 3, Map.of()).join();
      assertEquals(3, client.admin().describeTopic("orders").join().partitions().size());
    }
  }
}
