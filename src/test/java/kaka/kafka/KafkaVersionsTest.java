package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import kaka.broker.TestBroker;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which requests are answered, at which versions. */
class KafkaVersionsTest {
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static KafkaSocket connect() throws IOException {
    return new KafkaSocket(broker.address());
  }

  private static ApiVersionsRequestData versionsRequest(int version) {
    ApiVersionsRequestData request = new ApiVersionsRequestData();
    return version < 3 ? request : request.setClientSoftwareName("test").setClientSoftwareVersion("1.0");
  }

  /** Every version that is advertised, and that Kafka's classes can send, is answered, by an answer that they can read. */
  @Test
  void everyAdvertisedVersionIsAnswered() throws Exception {
    try (KafkaSocket socket = connect()) {
      ApiVersionsResponseData versions = socket.ask(ApiVersionsResponseData.class, 4, versionsRequest(4));
      assertTrue(versions.apiKeys().size() >= 5, versions.toString());
      for (ApiVersion api : versions.apiKeys()) {
        ApiKeys key = ApiKeys.forId(api.apiKey());
        for (int version = Math.max(api.minVersion(), key.oldestVersion()); version <= api.maxVersion(); version++) {
          ApiMessage request = KafkaRequests.plain(key, version);
          int id = socket.send(key, version, request);
          try {
            assertNotNull(socket.receive(key, version, id));
          } catch (IOException e) {
            throw new AssertionError(key + " version " + version + " is not answered", e);
          }
        }
      }
    }
  }

  /** Where it has to be 0 for librdkafka 2.0 to compress and to be idempotent. */
  @Test
  void produceIsAdvertisedFromZero() throws Exception {
    try (KafkaSocket socket = connect()) {
      ApiVersionsResponseData versions = socket.ask(ApiVersionsResponseData.class, 0, versionsRequest(0));

      assertEquals(0, versions.apiKeys().find(ApiKeys.PRODUCE.id).minVersion());
      assertEquals(13, versions.apiKeys().find(ApiKeys.PRODUCE.id).maxVersion());
    }
  }

  /** Whatever an unknown version's request looks like: the answer is in version 0, with the list, and the connection goes on. */
  @Test
  void unknownVersionOfApiVersionsIsAnsweredInVersionZero() throws Exception {
    try (KafkaSocket socket = connect()) {
      socket.send(new byte[] {0, 0, 0, 12, 0, 18, 0, 99, 0, 0, 0, 7, 1, 2, 3, 4});

      ApiVersionsResponseData answer = (ApiVersionsResponseData) socket.receive(ApiKeys.API_VERSIONS, 0, 7);
      assertEquals(Errors.UNSUPPORTED_VERSION.code(), answer.errorCode());
      assertEquals(ApiKeys.API_VERSIONS.latestVersion(), answer.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion());
      assertEquals(0, socket.ask(ApiVersionsResponseData.class, 0, versionsRequest(0)).errorCode());
    }
  }

  /** What cannot be answered ends the connection, after the answers to what came before it. */
  @Test
  void unsupportedRequestEndsTheConnectionAfterEarlierAnswers() throws Exception {
    List<byte[]> unsupported =
        List.of(
            new byte[] {0, 0, 0, 9, 0, 3, 0, 99, 0, 0, 0, 7, 0}, // a version of METADATA
            new byte[] {0, 0, 0, 9, 0, 4, 0, 1, 0, 0, 0, 7, 0}, // LEADER_AND_ISR
            new byte[] {0, 0, 0, 9, 0, 127, 0, 1, 0, 0, 0, 7, 0}, // nothing
            new byte[] {0, 0, 0, 2, 0, 3}, // no whole header
            new byte[] {0, 0, 0, 9, 0, 3, 0, 1, 0, 0, 0, 7, 0}); // a header cut short
    for (byte[] request : unsupported) {
      try (KafkaSocket socket = connect()) {
        int id = socket.send(ApiKeys.METADATA, 1, new MetadataRequestData());
        socket.send(request);

        assertNotNull(socket.receive(ApiKeys.METADATA, 1, id));
        assertTrue(socket.isClosedByPeer());
      }
    }
  }

  @Test
  void softwareNameThatIsNoneIsRefused() throws Exception {
    try (KafkaSocket socket = connect()) {
      ApiVersionsRequestData request = new ApiVersionsRequestData().setClientSoftwareName("a b").setClientSoftwareVersion("1");

      assertEquals(
          Errors.INVALID_REQUEST.code(), socket.ask(ApiVersionsResponseData.class, 3, request).errorCode());
    }
  }

  /** KIP-1242. */
  @Test
  void clientOfAnotherClusterIsSentAway() throws Exception {
    try (KafkaSocket socket = connect()) {
      ApiVersionsRequestData elsewhere = versionsRequest(5).setClusterId("another").setNodeId(1);

      assertEquals(
          Errors.REBOOTSTRAP_REQUIRED.code(), socket.ask(ApiVersionsResponseData.class, 5, elsewhere).errorCode());
    }
  }

  /** Answers stand in the order of their requests, also where an earlier one takes longer. */
  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    try (KafkaSocket socket = connect()) {
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ids.add(socket.send(ApiKeys.METADATA, 4, KafkaRequests.metadata("pipelined-" + i)));
        ids.add(socket.send(ApiKeys.API_VERSIONS, 0, versionsRequest(0)));
      }

      for (int i = 0; i < ids.size(); i++) {
        ApiKeys key = i % 2 == 0 ? ApiKeys.METADATA : ApiKeys.API_VERSIONS;
        assertNotNull(socket.receive(key, i % 2 == 0 ? 4 : 0, ids.get(i)));
      }
    }
  }
}
