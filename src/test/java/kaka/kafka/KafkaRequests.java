package kaka.kafka;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
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

  /** As {@link #plain}, with something in it where the plain one is empty. */
  static ApiMessage full(ApiKeys key, int version) {
    ApiMessage request = plain(key, version);
    if (request instanceof JoinGroupRequestData join) {
      join.setGroupId("g").setProtocolType("consumer").setSessionTimeoutMs(6000).setRebalanceTimeoutMs(1);
      join.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[] {0, 1, 0, 0, 0, 0, -1, -1, -1, -1}));
    } else if (request instanceof SyncGroupRequestData sync) {
      sync.setGroupId("g").setMemberId("m").setAssignments(List.of(new SyncGroupRequestAssignment().setMemberId("m").setAssignment(new byte[4])));
    } else if (request instanceof HeartbeatRequestData heartbeat) {
      heartbeat.setGroupId("g").setMemberId("m");
    } else if (request instanceof ConsumerGroupHeartbeatRequestData beat) {
      beat.setGroupId("c").setMemberId("m").setRebalanceTimeoutMs(1).setSubscribedTopicNames(List.of("plain")).setTopicPartitions(List.of());
      beat.setSubscribedTopicRegex(version < 1 ? null : "pl(a|i)*n?");
    } else if (request instanceof ConsumerGroupDescribeRequestData groups) {
      groups.setGroupIds(List.of("c"));
    } else if (request instanceof OffsetCommitRequestData commit && version < 10) {
      commit
          .setGroupId("g")
          .topics()
          .add(
              new OffsetCommitRequestTopic()
                  .setName("plain")
                  .setPartitions(List.of(new OffsetCommitRequestPartition().setCommittedOffset(3).setCommittedMetadata("m"))));
    } else if (request instanceof CreateTopicsRequestData create) {
      create.topics().add(new CreatableTopic().setName("fuzz").setNumPartitions(1).setReplicationFactor((short) 1));
    } else if (request instanceof DescribeConfigsRequestData describe) {
      describe.resources().add(new DescribeConfigsResource().setResourceType((byte) 2).setResourceName("plain"));
    } else if (request instanceof DescribeGroupsRequestData groups) {
      groups.setGroups(List.of("g"));
    } else if (request instanceof DeleteRecordsRequestData delete) {
      delete
          .topics()
          .add(new DeleteRecordsTopic().setName("plain").setPartitions(List.of(new DeleteRecordsPartition().setOffset(1))));
    }
    return request;
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
