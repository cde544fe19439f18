package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.stream.Collectors;
import kaka.broker.TestBroker;
import kaka.config.ConfigException;
import kaka.config.KakaConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Where clients are sent, and which topics they are told of. */
class KafkaMetadataTest {
  private static MetadataResponseBroker broker(InetSocketAddress address) throws Exception {
    try (KafkaSocket socket = new KafkaSocket(address)) {
      MetadataResponseData response = socket.ask(MetadataResponseData.class, 9, new MetadataRequestData());
      assertEquals(1, response.brokers().size());
      assertEquals(Node.ID, response.controllerId());
      return response.brokers().iterator().next();
    }
  }

  private static MetadataResponseTopic only(MetadataResponseData response) {
    assertEquals(1, response.topics().size());
    return response.topics().iterator().next();
  }

  /** By IPv4 and by IPv6: each client is told the address that it has come to. */
  @Test
  void clientIsSentToTheAddressThatItConnectedTo() throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      try (TestBroker broker = TestBroker.start("kaka.listen.host = \"" + host + "\"")) {
        MetadataResponseBroker told = broker(broker.address());

        assertEquals(InetAddress.getByName(host), InetAddress.getByName(told.host()));
        assertEquals(broker.address().getPort(), told.port());
      }
    }
  }

  @Test
  void clientIsSentToTheAdvertisedAddress() throws Exception {
    try (TestBroker broker =
        TestBroker.start("kaka.kafka.advertised-host = kaka.example\nkaka.kafka.advertised-port = 9999")) {
      MetadataResponseBroker told = broker(broker.address());

      assertEquals("kaka.example", told.host());
      assertEquals(9999, told.port());
    }
  }

  @Test
  void advertisedAddressThatIsNowhereStopsTheStart() {
    for (String host : new String[] {"0.0.0.0", "::", "[::]"}) {
      ConfigException refused =
          assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka.kafka.advertised-host = \"" + host + "\""));
      assertTrue(refused.getMessage().contains("kaka.kafka.advertised-host"), refused.getMessage());
    }
  }

  @Test
  void topicsAreCreatedByBeingNamedIfTheClientWants() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.default-partitions = 4");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      MetadataRequestData without = KafkaRequests.metadata("named").setAllowAutoTopicCreation(false);
      assertEquals(
          Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), only(socket.ask(MetadataResponseData.class, 9, without)).errorCode());

      MetadataResponseTopic created = only(socket.ask(MetadataResponseData.class, 12, KafkaRequests.metadata("named")));
      assertEquals(0, created.errorCode());
      assertEquals(4, created.partitions().size());
      created.partitions().forEach(partition -> assertEquals(Node.ID, partition.leaderId()));
      assertNotEquals(Uuid.ZERO_UUID, created.topicId());
      MetadataResponseTopic again = only(socket.ask(MetadataResponseData.class, 12, without));
      assertEquals(created.topicId(), again.topicId());
    }
  }

  @Test
  void topicsAreNotCreatedWhereThatIsOff() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      MetadataResponseTopic answer = only(socket.ask(MetadataResponseData.class, 0, KafkaRequests.metadata("named")));

      assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), answer.errorCode());
    }
  }

  @Test
  void topicsCanBeAskedForByIdByNameAndAll() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      Uuid id = null;
      for (MetadataResponseTopic topic : socket.ask(MetadataResponseData.class, 12, KafkaRequests.metadata("a", "b")).topics()) {
        id = topic.topicId();
      }

      MetadataRequestData byId = new MetadataRequestData();
      byId.topics().add(new MetadataRequestTopic().setTopicId(id).setName(null));
      byId.topics().add(new MetadataRequestTopic().setTopicId(Uuid.fromString("AAAAAAAAAAAAAAAAAAAAAQ")).setName(null));
      MetadataResponseData answer = socket.ask(MetadataResponseData.class, 12, byId);
      assertEquals("b", answer.topics().find("b").name());
      assertTrue(answer.topics().stream().anyMatch(topic -> topic.errorCode() == Errors.UNKNOWN_TOPIC_ID.code()));

      assertEquals(Set.of("a", "b"), names(socket.ask(MetadataResponseData.class, 0, KafkaRequests.metadata())));
      assertEquals(Set.of(), names(socket.ask(MetadataResponseData.class, 1, KafkaRequests.metadata())));
      assertEquals(Set.of("a", "b"), names(socket.ask(MetadataResponseData.class, 1, new MetadataRequestData().setTopics(null))));
    }
  }

  private static Set<String> names(MetadataResponseData response) {
    return response.topics().stream().map(MetadataResponseTopic::name).collect(Collectors.toSet());
  }

  @Test
  void clusterIsOneBroker() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        Admin admin = KafkaClients.admin(broker.address())) {
      DescribeClusterResult cluster = admin.describeCluster();

      assertEquals(1, KafkaClients.get(cluster.nodes()).size());
      assertEquals(broker.address().getPort(), KafkaClients.get(cluster.controller()).port());
      assertEquals(22, KafkaClients.get(cluster.clusterId()).length());
    }
  }
}
