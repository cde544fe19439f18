package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kaka.partition.MemoryBudget;
import kaka.record.Allowance;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests whose elements all want one place of the collections that Kafka's classes keep them in: to take one in would be a minute
 * and more, so they are refused before. Those of ordinary clients are taken, however large.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaCollisionsTest {
  private static final int MANY = 5000;

  /** A check's allowance that has no end, or ends at once. */
  private record Turn(MemoryBudget memory, boolean isOver) implements Allowance {
    @Override
    public boolean tryReserve(long bytes) {
      return memory.tryReserve(bytes);
    }

    @Override
    public void release(long bytes) {
      memory.release(bytes);
    }

    @Override
    public long maxUnpackedBytes() {
      return 0;
    }

    @Override
    public void worked(long bytes) {
      if (isOver) {
        throw new UnsupportedOperationException("the turn is over");
      }
    }
  }

  private final MemoryBudget memory = new MemoryBudget(1 << 30);

  private Decoding decoding(ApiKeys key, int version, ByteBuffer bytes) {
    return new Decoding(key, (short) version, bytes, memory);
  }

  private Decoding decoding(ApiMessage request, int version) {
    ApiKeys key = ApiKeys.forId(request.apiKey());
    byte[] frame = KafkaSocket.frame(key, version, 1, request);
    return decoding(key, version, ByteBuffer.wrap(frame, 4, frame.length - 4).slice());
  }

  /** As a connection does it: on its thread if that is soon done, else apart. */
  private static Decoding.Outcome outcome(Decoding decoding, MemoryBudget memory) {
    Turn turn = new Turn(memory, false);
    return decoding
        .onLoop()
        .orElseGet(
            () -> {
              decoding.next(turn);
              return decoding.result(turn);
            });
  }

  private Decoding.Outcome outcome(Decoding decoding) {
    return outcome(decoding, memory);
  }

  private void assertRefused(ApiKeys key, int version, ByteBuffer bytes, String array) {
    String what = key + " version " + version + " " + array;
    Decoding.Refused refused = assertInstanceOf(Decoding.Refused.class, outcome(decoding(key, version, bytes)), what);
    assertTrue(refused.reason().contains("too many elements of " + array + " whose hashes collide"), what + ": " + refused.reason());
    assertEquals(0, memory.usedBytes(), what);
  }

  private ApiMessage assertTaken(Decoding decoding) {
    Decoding.Decoded decoded = assertInstanceOf(Decoding.Decoded.class, outcome(decoding));
    assertEquals(memory.usedBytes(), decoded.chargedBytes());
    memory.release(decoded.chargedBytes());
    assertEquals(0, memory.usedBytes());
    return decoded.request();
  }

  private static List<ApiKeys> answered() {
    return Arrays.stream(ApiKeys.values()).filter(key -> Apis.find(key).isPresent()).toList();
  }

  private static List<Integer> versions(ApiKeys key) {
    Apis.Entry entry = Apis.find(key).orElseThrow();
    return IntStream.rangeClosed(entry.least(), entry.most()).boxed().toList();
  }

  /** A collection of Kafka's in a request that is answered, and is not in the table, would be one that nobody looks at. */
  @Test
  void everyCollectionOfRequestsIsKnown() {
    for (ApiKeys key : answered()) {
      List<Class<?>> classes = new ArrayList<>();
      classes.add(key.messageType.newRequest().getClass());
      classes.addAll(Arrays.asList(classes.get(0).getDeclaredClasses()));
      Set<String> found = new HashSet<>();
      for (int version : versions(key)) {
        List<String> arrays = KafkaCollidingRequests.arrays(key.messageType.requestSchemas()[version]);
        classes.stream().flatMap(type -> collectionsOf(type).stream()).filter(arrays::contains).forEach(found::add);
      }
      assertEquals(HashedArrays.of(key).keySet(), found, key.toString());
    }
  }

  /** Named as in the schema. */
  private static List<String> collectionsOf(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(field -> ImplicitLinkedHashCollection.class.isAssignableFrom(field.getType()))
        .map(field -> field.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        .toList();
  }

  @Test
  void elementsOfOneHashAreRefusedInEveryRequest() {
    assertElementsOfOneHashAreRefused(MANY);
  }

  /** So few would be read on the connection's thread, and keep it for a tenth of a second. */
  @Test
  void elementsOfOneHashAreRefusedWhereTheyAreFew() {
    assertElementsOfOneHashAreRefused(600);
  }

  /** Texts of one hash; where it is no text that is hashed, the same number for all. */
  private void assertElementsOfOneHashAreRefused(int count) {
    int tried = 0;
    for (ApiKeys key : answered()) {
      for (int version : versions(key)) {
        Schema schema = key.messageType.requestSchemas()[version];
        for (String array : HashedArrays.of(key).keySet()) {
          if (KafkaCollidingRequests.arrays(schema).contains(array)) {
            ByteBuffer bytes =
                KafkaCollidingRequests.request(
                    key, version, array, count, KafkaCollidingRequests.texts(KafkaCollidingRequests::ofOneHash));
            assertRefused(key, version, bytes, array);
            tried++;
          }
        }
      }
    }
    assertTrue(tried > 50, tried + " tried");
  }

  /** As harmful, and nobody sends them: a name that is there again and again. */
  @Test
  void theSameNameAgainAndAgainIsRefused() {
    assertRefused(
        ApiKeys.CREATE_TOPICS, 7, KafkaCollidingRequests.request(ApiKeys.CREATE_TOPICS, 7, "topics", MANY, KafkaCollidingRequests.texts(i -> "a")), "topics");
  }

  /** Of as many hashes, whose remainders are one: 4003 is what a collection that began with room for 1000 grows to. */
  @Test
  void elementsOfOnePlaceAreRefused() {
    for (ApiKeys key : List.of(ApiKeys.CREATE_TOPICS, ApiKeys.PRODUCE, ApiKeys.ADD_PARTITIONS_TO_TXN)) {
      String array = key == ApiKeys.CREATE_TOPICS ? "topics" : key == ApiKeys.PRODUCE ? "topic_data" : "v3_and_below_topics";
      ByteBuffer bytes =
          KafkaCollidingRequests.request(
              key, 3, array, MANY, KafkaCollidingRequests.texts(i -> KafkaCollidingRequests.ofHash(17 + 4003L * i)));
      assertRefused(key, 3, bytes, array);
    }
  }

  /** The places that they want are not one, but lie side by side: each new one goes on to the end of the row, which it makes longer. */
  @Test
  void elementsThatMakeALongRowAreRefused() {
    ByteBuffer bytes =
        KafkaCollidingRequests.request(
            ApiKeys.CREATE_TOPICS, 7, "topics", MANY, KafkaCollidingRequests.texts(i -> KafkaCollidingRequests.ofHash(100_000 + i / 2)));

    assertRefused(ApiKeys.CREATE_TOPICS, 7, bytes, "topics");
  }

  @Test
  void topicIdsAreHashedToo() {
    ByteBuffer bytes =
        KafkaCollidingRequests.request(
            ApiKeys.PRODUCE, 13, "topic_data", MANY, (field, type, i) -> type == Type.UUID ? new Uuid(i, i ^ 12345) : null);

    assertRefused(ApiKeys.PRODUCE, 13, bytes, "topic_data");
  }

  /** What is hashed is a number and a text together, each of which is different. */
  @Test
  void fieldsAreHashedTogether() {
    ByteBuffer bytes =
        KafkaCollidingRequests.request(
            ApiKeys.ALTER_CONFIGS,
            1,
            "resources",
            MANY,
            (field, type, i) ->
                type == Type.INT8
                    ? (Object) (byte) (i % 100)
                    : KafkaCollidingRequests.isText(type) ? KafkaCollidingRequests.ofHash(100_000_000 - 31 * (i % 100)) + "" : null);

    assertRefused(ApiKeys.ALTER_CONFIGS, 1, bytes, "resources");
  }

  /** Each array is small; there are many. */
  @Test
  void manySmallArraysAreCountedTogether() {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    for (String name : KafkaCollidingRequests.ordinary(1000)) {
      CreatableTopic topic = new CreatableTopic().setName(name);
      for (int i = 0; i < 100; i++) {
        topic.assignments().add(new CreatableReplicaAssignment().setPartitionIndex(7 + 201 * i).setBrokerIds(List.of(0)));
      }
      request.topics().add(topic);
    }

    Decoding.Refused refused = assertInstanceOf(Decoding.Refused.class, outcome(decoding(request, 7)));
    assertTrue(refused.reason().contains("assignments"), refused.reason());
    assertEquals(0, memory.usedBytes());
  }

  /** Each array may be; all together take too long, of whatever request. */
  @Test
  void manyElementsInAllAreRefused() {
    OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId("g");
    for (int i = 0; i < 100; i++) {
      request.topics().add(new OffsetCommitRequestTopic().setName("t" + i).setPartitions(Collections.nCopies(1300, new OffsetCommitRequestPartition())));
    }
    assertTaken(decoding(request, 8));
    request.topics().forEach(topic -> topic.setPartitions(Collections.nCopies(1311, new OffsetCommitRequestPartition())));

    Decoding.Refused refused = assertInstanceOf(Decoding.Refused.class, outcome(decoding(request, 8)));
    assertEquals("OffsetCommit version 8: more than 131072 elements", refused.reason());
    assertEquals(0, memory.usedBytes());
  }

  // ---------------------------------------------------------------- what ordinary clients send

  private static CreateTopicsRequestData createTopics(Collection<String> names) {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    names.forEach(name -> request.topics().add(new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) 1)));
    return request;
  }

  @Test
  void largeRequestsOfOrdinaryClientsAreTaken() {
    CreateTopicsRequestData create = (CreateTopicsRequestData) assertTaken(decoding(createTopics(KafkaCollidingRequests.ordinary(20_000)), 7));
    assertEquals(20_000, create.topics().size());
    MetadataRequestData metadata =
        (MetadataRequestData) assertTaken(decoding(KafkaRequests.metadata(KafkaCollidingRequests.ordinary(20_000).toArray(new String[0])), 12));
    assertEquals(20_000, metadata.topics().size());
    ProduceRequestData produce = new ProduceRequestData();
    KafkaCollidingRequests.ordinary(20_000).forEach(name -> produce.topicData().add(new TopicProduceData().setName(name)));
    assertEquals(20_000, ((ProduceRequestData) assertTaken(decoding(produce, 9))).topicData().size());
  }

  /** By hand, each with its broker: their places are a row. */
  @Test
  void topicOfManyAssignedPartitionsIsTaken() {
    CreateTopicsRequestData request = createTopics(List.of("wide"));
    for (int i = 0; i < 8000; i++) {
      request.topics().iterator().next().assignments().add(new CreatableReplicaAssignment().setPartitionIndex(i).setBrokerIds(List.of(0)));
    }

    assertTaken(decoding(request, 7));
  }

  /** And nothing is looked at twice. */
  @Test
  void ordinaryRequestsAreReadAtOnce() {
    for (ApiKeys key : answered()) {
      for (int version : versions(key)) {
        Optional<Decoding.Outcome> outcome = decoding(KafkaRequests.full(key, version), version).onLoop();

        assertInstanceOf(Decoding.Decoded.class, outcome.orElseThrow(), key + " " + version);
      }
    }
    Decoding.Decoded some = (Decoding.Decoded) decoding(createTopics(KafkaCollidingRequests.ordinary(200)), 7).onLoop().orElseThrow();
    assertEquals(200, ((CreateTopicsRequestData) some.request()).topics().size());
    memory.release(some.chargedBytes());
  }

  @Test
  void largeRequestsAreReadApart() {
    Decoding decoding = decoding(KafkaRequests.metadata(KafkaCollidingRequests.ordinary(20_000).toArray(new String[0])), 12);

    assertEquals(Optional.empty(), decoding.onLoop());
    assertEquals(0, memory.usedBytes());
  }

  /** It begins anew then, or its connection has ended; what it held is given back either way. */
  @Test
  void readingThatIsBrokenOffGivesBackItsCharge() {
    for (ApiMessage request : List.of(createTopics(KafkaCollidingRequests.ordinary(5000)), KafkaRequests.metadata("a".repeat(20_000)))) {
      Decoding decoding = decoding(request, 7);

      assertThrows(UnsupportedOperationException.class, () -> decoding.next(new Turn(memory, true)));
      assertEquals(0, memory.usedBytes());
      assertTaken(decoding);
    }
  }

  @Test
  void withoutMemoryALargeRequestIsRefused() {
    MemoryBudget scarce = new MemoryBudget(1 << 20);
    byte[] frame = KafkaSocket.frame(ApiKeys.CREATE_TOPICS, 7, 1, createTopics(KafkaCollidingRequests.ordinary(20_000)));
    Decoding decoding = new Decoding(ApiKeys.CREATE_TOPICS, (short) 7, ByteBuffer.wrap(frame, 4, frame.length - 4).slice(), scarce);

    Decoding.Refused refused = (Decoding.Refused) outcome(decoding, scarce);

    assertTrue(refused.reason().startsWith("no memory for a CreateTopics request of "), refused.reason());
    assertEquals(0, scarce.usedBytes());
  }

  /** A body that ends too early, or claims what is not there. */
  @Test
  void brokenBodyIsRefusedWhereverItIsRead() {
    byte[] frame = KafkaSocket.frame(ApiKeys.CREATE_TOPICS, 7, 1, createTopics(KafkaCollidingRequests.ordinary(1000)));
    Map<Boolean, Long> refused =
        IntStream.range(14, frame.length - 4)
            .filter(size -> size % 97 == 0)
            .mapToObj(size -> outcome(decoding(ApiKeys.CREATE_TOPICS, 7, ByteBuffer.wrap(frame, 4, size).slice())))
            .collect(Collectors.partitioningBy(outcome -> outcome instanceof Decoding.Refused, Collectors.counting()));

    assertEquals(0, refused.get(false));
    assertTrue(refused.get(true) > 100, refused.toString());
    assertEquals(0, memory.usedBytes());
  }
}
