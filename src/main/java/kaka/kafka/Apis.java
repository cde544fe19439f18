package kaka.kafka;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;

/** Every kind of request that is answered, at which versions, and by whom. What clients are told is made from this table. */
final class Apis {
  /**
   * @param advertised the least version that clients are told, which may be less than {@code least}
   * @param least that is answered
   * @param most that is answered
   */
  record Entry(int advertised, int least, int most, Api api) {
    boolean answers(short version) {
      return version >= least && version <= most;
    }
  }

  private static final Map<ApiKeys, Entry> ENTRIES = new EnumMap<>(ApiKeys.class);

  static {
    // librdkafka before 2.1 takes a least version of PRODUCE above 0 for a broker that knows no compression but gzip.
    ENTRIES.put(ApiKeys.PRODUCE, new Entry(0, 3, 13, new ProduceApi()));
    add(ApiKeys.FETCH, 4, 18, new FetchApi());
    add(ApiKeys.LIST_OFFSETS, 1, 11, new ListOffsetsApi());
    add(ApiKeys.METADATA, 0, 13, new MetadataApi());
    add(ApiKeys.API_VERSIONS, 0, 5, new ApiVersionsApi());
    add(ApiKeys.CREATE_TOPICS, 2, 7, new CreateTopicsApi());
    add(ApiKeys.DELETE_TOPICS, 1, 6, new DeleteTopicsApi());
    add(ApiKeys.INIT_PRODUCER_ID, 0, 5, new InitProducerIdApi());
    add(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 2, 4, new OffsetForLeaderEpochApi());
    add(ApiKeys.FIND_COORDINATOR, 0, 6, new FindCoordinatorApi());
    add(ApiKeys.JOIN_GROUP, 0, 9, new JoinGroupApi());
    add(ApiKeys.SYNC_GROUP, 0, 5, new SyncGroupApi());
    add(ApiKeys.HEARTBEAT, 0, 4, new HeartbeatApi());
    add(ApiKeys.LEAVE_GROUP, 0, 5, new LeaveGroupApi());
    add(ApiKeys.OFFSET_COMMIT, 2, 10, new OffsetCommitApi());
    add(ApiKeys.OFFSET_FETCH, 1, 10, new OffsetFetchApi());
    add(ApiKeys.OFFSET_DELETE, 0, 0, new OffsetDeleteApi());
    add(ApiKeys.LIST_GROUPS, 0, 5, new ListGroupsApi());
    add(ApiKeys.DESCRIBE_GROUPS, 0, 6, new DescribeGroupsApi());
    add(ApiKeys.DELETE_GROUPS, 0, 3, new DeleteGroupsApi());
    add(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, 1, new ConsumerGroupHeartbeatApi());
    add(ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, 1, new ConsumerGroupDescribeApi());
    add(ApiKeys.DELETE_RECORDS, 0, 2, new DeleteRecordsApi());
    add(ApiKeys.CREATE_PARTITIONS, 0, 3, new CreatePartitionsApi());
    add(ApiKeys.DESCRIBE_CONFIGS, 1, 4, new DescribeConfigsApi());
    add(ApiKeys.ALTER_CONFIGS, 0, 2, new AlterConfigsApi());
    add(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 0, 1, new IncrementalAlterConfigsApi());
    add(ApiKeys.DESCRIBE_LOG_DIRS, 1, 5, new DescribeLogDirsApi());
    add(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, 0, new DescribeTopicPartitionsApi());
    add(ApiKeys.DESCRIBE_CLUSTER, 0, 2, new DescribeClusterApi());
    // Newer versions of these are for transactions that end with an epoch of their own each (KIP-890), or among brokers.
    add(ApiKeys.ADD_PARTITIONS_TO_TXN, 0, 3, new AddPartitionsToTxnApi());
    add(ApiKeys.ADD_OFFSETS_TO_TXN, 0, 4, new AddOffsetsToTxnApi());
    add(ApiKeys.TXN_OFFSET_COMMIT, 0, 4, new TxnOffsetCommitApi());
    add(ApiKeys.END_TXN, 0, 4, new EndTxnApi());
    add(ApiKeys.WRITE_TXN_MARKERS, 1, 2, new WriteTxnMarkersApi());
    add(ApiKeys.DESCRIBE_PRODUCERS, 0, 0, new DescribeProducersApi());
    add(ApiKeys.DESCRIBE_TRANSACTIONS, 0, 0, new DescribeTransactionsApi());
    add(ApiKeys.LIST_TRANSACTIONS, 0, 1, new ListTransactionsApi());
  }

  private static void add(ApiKeys key, int least, int most, Api api) {
    ENTRIES.put(key, new Entry(least, least, most, api));
  }

  private Apis() {}

  static Optional<Entry> find(ApiKeys key) {
    return Optional.ofNullable(ENTRIES.get(key));
  }

  /** For ApiVersions. */
  static ApiVersionCollection versions() {
    ApiVersionCollection versions = new ApiVersionCollection(ENTRIES.size());
    ENTRIES.forEach(
        (key, entry) ->
            versions.add(
                new ApiVersion()
                    .setApiKey(key.id)
                    .setMinVersion((short) entry.advertised())
                    .setMaxVersion((short) entry.most())));
    return versions;
  }
}
