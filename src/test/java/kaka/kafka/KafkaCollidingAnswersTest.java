package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import kaka.broker.TestBroker;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.Struct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Answers of many elements that would all want one place of the collections that Kafka's classes keep them in, were they to look for it
 * by their names or numbers: they would be longer in the making than a test here may take.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaCollidingAnswersTest {
  private static final int MANY = 20_000;
  private static final List<String> NAMES = KafkaCollidingRequests.ofOneHash(0, MANY);

  /** Answered by a broker that has none of them; read by Kafka's schema, for its classes would take as long. */
  private static Struct answer(int version, ApiMessage request) throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      ApiKeys key = ApiKeys.forId(request.apiKey());
      socket.send(key, version, request);
      ByteBuffer frame = ByteBuffer.wrap(socket.receiveFrame());
      new ResponseHeaderData(new ByteBufferAccessor(frame), key.responseHeaderVersion((short) version));
      Struct answer = key.messageType.responseSchemas()[version].read(frame);
      socket.close();
      broker.awaitBudgetEmpty();
      return answer;
    }
  }

  private static List<String> texts(Struct struct, String array, String field) {
    return Arrays.stream(struct.getArray(array)).map(each -> ((Struct) each).getString(field)).toList();
  }

  private static List<Integer> numbers(Struct struct, String array, String field) {
    return Arrays.stream(struct.getArray(array)).map(each -> ((Struct) each).getInt(field)).toList();
  }

  private static Struct first(Struct struct, String array) {
    return (Struct) struct.getArray(array)[0];
  }

  @Test
  void metadata() throws Exception {
    for (int version : new int[] {1, 12}) {
      Struct answer = answer(version, KafkaRequests.metadata(NAMES.toArray(new String[0])));
      assertEquals(NAMES, texts(answer, "topics", "name"));
    }
  }

  @Test
  void describeTopicPartitions() throws Exception {
    DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData();
    NAMES.forEach(name -> request.topics().add(new TopicRequest().setName(name)));

    assertEquals(NAMES.stream().sorted().toList(), texts(answer(0, request), "topics", "name"));
  }

  @Test
  void deleteTopics() throws Exception {
    assertEquals(NAMES, texts(answer(1, new DeleteTopicsRequestData().setTopicNames(NAMES)), "responses", "name"));
    List<DeleteTopicState> states = NAMES.stream().map(name -> new DeleteTopicState().setName(name)).toList();
    assertEquals(NAMES, texts(answer(6, new DeleteTopicsRequestData().setTopics(states)), "responses", "name"));
  }

  @Test
  void deleteGroups() throws Exception {
    List<String> answered = texts(answer(2, new DeleteGroupsRequestData().setGroupsNames(NAMES)), "results", "group_id");

    assertEquals(NAMES.stream().sorted().toList(), answered.stream().sorted().toList());
  }

  @Test
  void deleteRecords() throws Exception {
    DeleteRecordsRequestData topics = new DeleteRecordsRequestData();
    NAMES.forEach(name -> topics.topics().add(new DeleteRecordsTopic().setName(name)));
    assertEquals(NAMES, texts(answer(2, topics), "topics", "name"));

    List<DeleteRecordsPartition> partitions = IntStream.range(0, MANY).mapToObj(i -> new DeleteRecordsPartition().setPartitionIndex(i / 2)).toList();
    DeleteRecordsRequestData one =
        new DeleteRecordsRequestData().setTopics(List.of(new DeleteRecordsTopic().setName("one").setPartitions(partitions)));
    Struct answered = first(answer(2, one), "topics");
    assertEquals(IntStream.range(0, MANY).mapToObj(i -> i / 2).toList(), numbers(answered, "partitions", "partition_index"));
  }

  @Test
  void addPartitionsToTxn() throws Exception {
    List<Integer> partitions = IntStream.range(0, MANY).mapToObj(i -> i / 2).toList();
    AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData().setV3AndBelowTransactionalId("t");
    request.v3AndBelowTopics().add(new AddPartitionsToTxnTopic().setName("one").setPartitions(partitions));

    Struct answered = first(answer(3, request), "results_by_topic_v3_and_below");
    assertEquals(partitions, numbers(answered, "results_by_partition", "partition_index"));
  }

  @Test
  void offsetDelete() throws Exception {
    OffsetDeleteRequestTopic topic = new OffsetDeleteRequestTopic().setName("one");
    IntStream.range(0, MANY).forEach(i -> topic.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(i / 2)));
    OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId("g");
    request.topics().add(topic);

    Struct answered = answer(0, request);
    assertEquals(0, answered.getArray("topics").length, "no such group, so it says no more");
  }
}
