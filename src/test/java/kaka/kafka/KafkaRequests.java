package kaka.kafka;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Requests for tests. */
final class KafkaRequests {
  private KafkaRequests() {}

  /** One request of each kind, as any client might send it in that version. */
  static ApiMessage plain(ApiKeys key, int version) {
    return switch (key) {
      case API_VERSIONS ->
          version < 3
              ? new ApiVersionsRequestData()
              : new ApiVersionsRequestData().setClientSoftwareName("test").setClientSoftwareVersion("1");
      case METADATA -> metadata("plain");
      case PRODUCE -> version < 13 ? produce("plain", 0, records("a", "b")) : produce(Uuid.randomUuid(), 0, records("a"));
      case FETCH -> version < 13 ? fetch("plain", 0, 0) : fetch(Uuid.randomUuid(), 0, 0);
      case LIST_OFFSETS -> listOffsets("plain", 0, -2);
      default -> key.messageType.newRequest();
    };
  }

  static MetadataRequestData metadata(String... topics) {
    MetadataRequestData request = new MetadataRequestData();
    for (String topic : topics) {
      request.topics().add(new MetadataRequestTopic().setName(topic));
    }
    return request;
  }

  static MemoryRecords records(String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = new SimpleRecord(1_000L + i, null, values[i].getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return MemoryRecords.withRecords(Compression.NONE, records);
  }

  static ProduceRequestData produce(String topic, int partition, MemoryRecords records) {
    return produce(new TopicProduceData().setName(topic), partition, records);
  }

  static ProduceRequestData produce(Uuid topic, int partition, MemoryRecords records) {
    return produce(new TopicProduceData().setTopicId(topic), partition, records);
  }

  private static ProduceRequestData produce(TopicProduceData topic, int partition, MemoryRecords records) {
    ProduceRequestData request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
    request.topicData().add(topic.setPartitionData(List.of(new PartitionProduceData().setIndex(partition).setRecords(records))));
    return request;
  }

  static FetchRequestData fetch(String topic, int partition, long offset) {
    return fetch(new FetchTopic().setTopic(topic), partition, offset);
  }

  static FetchRequestData fetch(Uuid topic, int partition, long offset) {
    return fetch(new FetchTopic().setTopicId(topic), partition, offset);
  }

  private static FetchRequestData fetch(FetchTopic topic, int partition, long offset) {
    FetchPartition asked =
        new FetchPartition().setPartition(partition).setFetchOffset(offset).setPartitionMaxBytes(1 << 20);
    return new FetchRequestData()
        .setMaxWaitMs(0)
        .setMinBytes(1)
        .setMaxBytes(1 << 20)
        .setSessionEpoch(-1)
        .setTopics(List.of(topic.setPartitions(List.of(asked))));
  }

  static ListOffsetsRequestData listOffsets(String topic, int partition, long timestamp) {
    ListOffsetsPartition asked = new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(timestamp);
    return new ListOffsetsRequestData()
        .setReplicaId(-1)
        .setTopics(List.of(new ListOffsetsTopic().setName(topic).setPartitions(List.of(asked))));
  }
}
