package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import kaka.broker.TestBroker;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka's own administration client. */
class KafkaAdminTest {
  private TestBroker broker;
  private Admin admin;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("");
    admin = KafkaClients.admin(broker.address());
  }

  @AfterEach
  void stop() {
    admin.close();
    broker.close();
  }

  private void create(String topic, int partitions, Map<String, String> configs) throws Exception {
    KafkaClients.get(admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(configs))).all());
  }

  private void produce(String topic, int count) {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, 0, "k", "v" + i));
      }
    }
  }

  // ---------------------------------------------------------------- topics

  @Test
  void topicsAreCreatedDescribedAndDeleted() throws Exception {
    CreateTopicsResult created =
        admin.createTopics(List.of(new NewTopic("made", 3, (short) 1).configs(Map.of("retention.ms", "1000", "min.insync.replicas", "1"))));

    assertEquals(3, KafkaClients.get(created.numPartitions("made")));
    assertEquals(1, KafkaClients.get(created.replicationFactor("made")));
    assertEquals("1000", KafkaClients.get(created.config("made")).get("retention.ms").value());
    TopicDescription described = KafkaClients.get(admin.describeTopics(List.of("made")).allTopicNames()).get("made");
    assertEquals(KafkaClients.get(created.topicId("made")), described.topicId());
    assertEquals(3, described.partitions().size());
    assertEquals(Set.of("made"), KafkaClients.get(admin.listTopics().names()));

    KafkaClients.get(admin.deleteTopics(List.of("made")).all());
    assertEquals(Set.of(), KafkaClients.get(admin.listTopics().names()));
  }

  @Test
  void topicsAreDeletedByIdToo() throws Exception {
    create("named", 1, Map.of());
    Uuid id = KafkaClients.get(admin.describeTopics(List.of("named")).allTopicNames()).get("named").topicId();

    KafkaClients.get(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all());

    assertEquals(Set.of(), KafkaClients.get(admin.listTopics().names()));
    assertInstanceOf(
        UnknownTopicIdException.class,
        KafkaClients.failure(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all()));
  }

  /** Each in the word that Kafka has for it, and nothing is created. */
  @Test
  void topicsThatCannotBeAreRefused() throws Exception {
    create("there", 1, Map.of());
    assertRefused(TopicExistsException.class, new NewTopic("there", 1, (short) 1));
    assertRefused(InvalidTopicException.class, new NewTopic("not a name", 1, (short) 1));
    assertRefused(InvalidTopicException.class, new NewTopic("__internal", 1, (short) 1));
    assertRefused(InvalidPartitionsException.class, new NewTopic("x", 0, (short) 1));
    assertRefused(InvalidPartitionsException.class, new NewTopic("x", 1_000_000, (short) 1));
    assertRefused(InvalidReplicationFactorException.class, new NewTopic("x", 1, (short) 3));
    assertRefused(InvalidReplicaAssignmentException.class, new NewTopic("x", Map.of(0, List.of(1, 2))));
    assertRefused(InvalidReplicaAssignmentException.class, new NewTopic("x", Map.of(1, List.of(1))));
    for (Map<String, String> bad :
        List.of(
            Map.of("no.such.setting", "1"),
            Map.of("retention.ms", "soon"),
            Map.of("cleanup.policy", "burn"),
            Map.of("min.insync.replicas", "2"),
            Map.of("message.timestamp.type", "LogAppendTime"),
            Map.of("compression.type", "gzip"))) {
      assertRefused(InvalidConfigurationException.class, new NewTopic("x", 1, (short) 1).configs(bad));
    }
    assertEquals(Set.of("there"), KafkaClients.get(admin.listTopics().names()));
  }

  private void assertRefused(Class<? extends Exception> error, NewTopic topic) throws Exception {
    assertInstanceOf(error, KafkaClients.failure(admin.createTopics(List.of(topic)).all()), topic.toString());
  }

  @Test
  void validationCreatesNothing() throws Exception {
    CreateTopicsResult result =
        admin.createTopics(List.of(new NewTopic("maybe", 2, (short) 1)), new CreateTopicsOptions().validateOnly(true));

    KafkaClients.get(result.all());
    assertEquals(Set.of(), KafkaClients.get(admin.listTopics().names()));
  }

  @Test
  void partitionsAreAdded() throws Exception {
    create("growing", 2, Map.of());

    KafkaClients.get(admin.createPartitions(Map.of("growing", NewPartitions.increaseTo(5))).all());

    assertEquals(5, KafkaClients.get(admin.describeTopics(List.of("growing")).allTopicNames()).get("growing").partitions().size());
    assertGrowthRefused(InvalidPartitionsException.class, "growing", NewPartitions.increaseTo(5));
    assertGrowthRefused(UnknownTopicOrPartitionException.class, "none", NewPartitions.increaseTo(5));
    assertGrowthRefused(
        InvalidReplicaAssignmentException.class, "growing", NewPartitions.increaseTo(6, List.of(List.of(7))));
  }

  private void assertGrowthRefused(Class<? extends Exception> error, String topic, NewPartitions partitions) throws Exception {
    assertInstanceOf(error, KafkaClients.failure(admin.createPartitions(Map.of(topic, partitions)).all()));
  }

  // ---------------------------------------------------------------- settings

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private Config configOf(String topic) throws Exception {
    return KafkaClients.get(admin.describeConfigs(List.of(resource(topic))).all()).get(resource(topic));
  }

  private void alter(String topic, AlterConfigOp... changes) throws Exception {
    KafkaClients.get(admin.incrementalAlterConfigs(Map.of(resource(topic), List.of(changes))).all());
  }

  private static AlterConfigOp change(String name, String value, OpType type) {
    return new AlterConfigOp(new ConfigEntry(name, value), type);
  }

  @Test
  void settingsOfATopicAreShownChangedAndGoBack() throws Exception {
    create("set", 1, Map.of("segment.bytes", "1048576", "flush.messages", "1"));
    ConfigEntry own = configOf("set").get("segment.bytes");
    assertEquals("1048576", own.value());
    assertEquals(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, own.source());
    assertEquals("1", configOf("set").get("flush.messages").value());
    assertEquals(ConfigEntry.ConfigSource.DEFAULT_CONFIG, configOf("set").get("retention.ms").source());

    alter("set", change("retention.ms", "60000", OpType.SET), change("segment.bytes", null, OpType.DELETE));
    assertEquals("60000", configOf("set").get("retention.ms").value());
    assertEquals("134217728", configOf("set").get("segment.bytes").value());
    assertEquals(ConfigEntry.ConfigSource.DEFAULT_CONFIG, configOf("set").get("segment.bytes").source());

    alter("set", change("cleanup.policy", "compact", OpType.APPEND));
    assertEquals("compact,delete", configOf("set").get("cleanup.policy").value());
    alter("set", change("cleanup.policy", "delete", OpType.SUBTRACT));
    assertEquals("compact", configOf("set").get("cleanup.policy").value());
  }

  @Test
  void changesThatMakeNoSenseAreRefused() throws Exception {
    create("kept", 1, Map.of());
    assertAlterationRefused(InvalidConfigurationException.class, resource("kept"), change("no.such", "1", OpType.SET));
    assertAlterationRefused(InvalidConfigurationException.class, resource("kept"), change("retention.ms", "soon", OpType.SET));
    assertAlterationRefused(InvalidConfigurationException.class, resource("kept"), change("retention.ms", "1", OpType.APPEND));
    assertAlterationRefused(UnknownTopicOrPartitionException.class, resource("none"), change("retention.ms", "1", OpType.SET));
    assertAlterationRefused(
        InvalidRequestException.class,
        new ConfigResource(ConfigResource.Type.BROKER, "1"),
        change("log.retention.ms", "1", OpType.SET));

    Map<ConfigResource, java.util.Collection<AlterConfigOp>> good =
        Map.of(resource("kept"), List.of(change("retention.ms", "1", OpType.SET)));
    KafkaClients.get(admin.incrementalAlterConfigs(good, new AlterConfigsOptions().validateOnly(true)).all());
    assertEquals("-1", configOf("kept").get("retention.ms").value());
  }

  private void assertAlterationRefused(Class<? extends Exception> error, ConfigResource resource, AlterConfigOp change)
      throws Exception {
    assertInstanceOf(
        error, KafkaClients.failure(admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all()), change.toString());
  }

  /** Clients no longer send it, others still do: what is not named goes back to the default. */
  @Test
  void olderAlterationReplacesAllSettings() throws Exception {
    create("replaced", 1, Map.of("segment.bytes", "1048576"));
    AlterConfigsResource resource =
        new AlterConfigsResource().setResourceType(ConfigResource.Type.TOPIC.id()).setResourceName("replaced");
    resource.configs().add(new AlterableConfig().setName("retention.ms").setValue("5000"));
    AlterConfigsRequestData request = new AlterConfigsRequestData();
    request.resources().add(resource);
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      assertEquals(0, socket.ask(AlterConfigsResponseData.class, 1, request).responses().get(0).errorCode());
    }

    assertEquals("5000", configOf("replaced").get("retention.ms").value());
    assertEquals("134217728", configOf("replaced").get("segment.bytes").value());
  }

  @Test
  void batchLargerThanTheTopicTakesIsRefused() throws Exception {
    create("small", 1, Map.of("max.message.bytes", "1000"));
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      KafkaClients.get(producer.send(new ProducerRecord<>("small", "v".repeat(800))));

      assertInstanceOf(
          RecordTooLargeException.class, KafkaClients.failure(producer.send(new ProducerRecord<>("small", "v".repeat(1200)))));
    }
  }

  @Test
  void settingsOfTheBrokerAreShown() throws Exception {
    ConfigResource itself = new ConfigResource(ConfigResource.Type.BROKER, "1");

    Config config = KafkaClients.get(admin.describeConfigs(List.of(itself)).all()).get(itself);
    assertEquals("134217728", config.get("log.segment.bytes").value());
    assertTrue(config.get("node.id").isReadOnly());
  }

  // ---------------------------------------------------------------- records and directories

  @Test
  void recordsAreDeletedUpToAnOffset() throws Exception {
    create("cut", 1, Map.of());
    create("keyed", 1, Map.of("cleanup.policy", "compact"));
    produce("cut", 10);
    TopicPartition partition = new TopicPartition("cut", 0);

    assertEquals(4, KafkaClients.get(delete(partition, 4)).lowWatermark());
    assertInstanceOf(OffsetOutOfRangeException.class, KafkaClients.failure(delete(partition, 11)));
    assertEquals(10, KafkaClients.get(delete(partition, -1)).lowWatermark());
    assertInstanceOf(PolicyViolationException.class, KafkaClients.failure(delete(new TopicPartition("keyed", 0), 0)));
  }

  private org.apache.kafka.common.KafkaFuture<org.apache.kafka.clients.admin.DeletedRecords> delete(
      TopicPartition partition, long before) {
    return admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).lowWatermarks().get(partition);
  }

  @Test
  void directoryAndSizesAreShown() throws Exception {
    create("sized", 2, Map.of());
    produce("sized", 10);

    Map<String, LogDirDescription> directories = KafkaClients.get(admin.describeLogDirs(List.of(1)).allDescriptions()).get(1);
    assertEquals(1, directories.size());
    LogDirDescription directory = directories.values().iterator().next();
    assertTrue(directory.replicaInfos().get(new TopicPartition("sized", 0)).size() > 10);
    assertEquals(0, directory.replicaInfos().get(new TopicPartition("sized", 1)).size());
  }

  // ---------------------------------------------------------------- what no client of Kafka's shows

  /** Topics of 3, 4 and 1 partitions, in pages of 5. */
  @Test
  void partitionsAreDescribedPageByPage() throws Exception {
    create("a", 3, Map.of());
    create("b", 4, Map.of());
    create("c", 1, Map.of());
    List<String> seen = new ArrayList<>();
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(5);
      int pages = 0;
      for (boolean isMore = true; isMore; pages++) {
        DescribeTopicPartitionsResponseData page = socket.ask(DescribeTopicPartitionsResponseData.class, 0, request);
        page.topics().forEach(topic -> topic.partitions().forEach(partition -> seen.add(topic.name() + partition.partitionIndex())));
        isMore = page.nextCursor() != null;
        if (isMore) {
          request.setCursor(new Cursor().setTopicName(page.nextCursor().topicName()).setPartitionIndex(page.nextCursor().partitionIndex()));
        }
      }
      assertEquals(2, pages);
      assertEquals(List.of("a0", "a1", "a2", "b0", "b1", "b2", "b3", "c0"), seen);

      DescribeTopicPartitionsRequestData unknown = new DescribeTopicPartitionsRequestData();
      unknown.topics().add(new TopicRequest().setName("nobody"));
      assertEquals(
          Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
          socket.ask(DescribeTopicPartitionsResponseData.class, 0, unknown).topics().iterator().next().errorCode());
    }
    assertEquals(8, new HashSet<>(seen).size());
  }

  @Test
  void theOneEpochEndsWhereTheLogDoes() throws Exception {
    create("epochs", 1, Map.of());
    produce("epochs", 3);
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      assertEquals(3, epochEnd(socket, 0, 0).endOffset());
      assertEquals(-1, epochEnd(socket, 0, 5).endOffset());
      assertEquals(Errors.UNKNOWN_LEADER_EPOCH.code(), epochEnd(socket, 1, 0).errorCode());
    }
  }

  private static EpochEndOffset epochEnd(KafkaSocket socket, int current, int epoch) throws Exception {
    OffsetForLeaderPartition asked =
        new OffsetForLeaderPartition().setPartition(0).setCurrentLeaderEpoch(current).setLeaderEpoch(epoch);
    OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
    request.topics().add(new OffsetForLeaderTopic().setTopic("epochs").setPartitions(List.of(asked)));
    return socket.ask(OffsetForLeaderEpochResponseData.class, 4, request).topics().iterator().next().partitions().get(0);
  }

  @Test
  void topicsAreListedByTheirNames() throws Exception {
    for (int i = 0; i < 5; i++) {
      create("list-" + i, 1, Map.of());
    }

    Set<String> names = KafkaClients.get(admin.listTopics().listings()).stream().map(each -> each.name()).collect(Collectors.toSet());
    assertEquals(Set.of("list-0", "list-1", "list-2", "list-3", "list-4"), names);
  }
}
