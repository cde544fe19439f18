package kaka.protocol;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import kaka.record.Header;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;

/** The examples of PROTOCOL.md, as the file has them and as Java makes them. */
final class Examples {
  private static final Path SPECIFICATION = Path.of("src/main/java/kaka/protocol/PROTOCOL.md");
  private static final String FENCE = "```";

  /** When the examples' records were made. */
  static final long NOW_MS = 1_700_000_000_000L;

  private static final String MEMBER = "till-7-00000000-0000-0000-0000-000000000001";

  private Examples() {}

  /** Title to frame, from the blocks marked {@code frame}: the title's line, then hex, with remarks behind a #. */
  static Map<String, byte[]> fromSpecification() throws IOException {
    Map<String, byte[]> frames = new LinkedHashMap<>();
    String title = "";
    StringBuilder hex = new StringBuilder();
    boolean isInside = false;
    for (String line : Files.readAllLines(SPECIFICATION)) {
      if (line.equals(FENCE + "frame")) {
        isInside = true;
        title = "";
        hex.setLength(0);
      } else if (isInside && line.equals(FENCE)) {
        isInside = false;
        if (frames.put(title, HexFormat.of().parseHex(hex)) != null) {
          throw new IllegalStateException("two examples are called " + title);
        }
      } else if (isInside && title.isEmpty()) {
        title = line;
      } else if (isInside) {
        hex.append(line.replaceFirst("#.*", "").replace(" ", ""));
      }
    }
    return frames;
  }

  /** Title to message: what the examples say in words. */
  static Map<String, Request> requests() {
    TopicPartition orders = new TopicPartition("orders", 0);
    Map<String, Request> requests = new LinkedHashMap<>();
    requests.put("HELLO request", new Hello(1, 1, "till-7", "kaka-java/0.1.0"));
    requests.put("HELLO request that wants a producer id", new Hello(1, 1, "till-7", "kaka-java/0.1.0", true));
    requests.put("PRODUCE request", new Produce(orders, nativeRecords()));
    requests.put("PRODUCE_BATCH request", new ProduceBatch(orders, batch()));
    requests.put("PRODUCE_BATCH request of an idempotent producer", new ProduceBatch(orders, numberedBatch()));
    requests.put("FETCH request", new Fetch(orders, 41, 1 << 20, 0, 0));
    requests.put("FETCH request that waits", new Fetch(orders, 41, 1 << 20, 500, 1));
    requests.put("FETCH_BATCHES request", new FetchBatches(new Fetch(orders, 42, 1 << 20, 500, 1)));
    requests.put("OFFSET_FOR_TIME request", new OffsetForTime(orders, NOW_MS));
    requests.put("DELETE_RECORDS request", new DeleteRecords(orders, 42));
    requests.put("DELETE_RECORDS request for all records", new DeleteRecords(orders, DeleteRecords.ALL));
    requests.put("METADATA request", new Metadata(List.of("orders", "na\u00efve")));
    requests.put("CREATE_TOPIC request", new CreateTopic("orders", 3, Map.of("retention.ms", "604800000")));
    requests.put("ADD_PARTITIONS request", new AddPartitions("orders", 6));
    Map<String, String> changes = new LinkedHashMap<>();
    changes.put("cleanup.policy", "compact,delete");
    changes.put("retention.ms", "");
    requests.put("ALTER_TOPIC request", new AlterTopic("orders", changes));
    requests.put("DELETE_TOPIC request", new DeleteTopic("orders"));
    requests.put("DESCRIBE_TOPIC request", new DescribeTopic("orders"));
    requests.put("COMMIT request", new Commit("billing", orders, 43));
    requests.put("OFFSETS request", new Offsets("billing", orders));
    requests.put(
        "JOIN_GROUP request",
        new JoinGroup("billing", "", "", "till-7", 10_000, 60_000, List.of("sticky", "range"), List.of("orders")));
    requests.put("GROUP_HEARTBEAT request", new GroupHeartbeat("billing", 3, MEMBER, ""));
    requests.put("LEAVE_GROUP request", new LeaveGroup("billing", MEMBER, ""));
    requests.put(
        "GROUP_COMMIT request",
        new GroupCommit("billing", OptionalInt.of(3), MEMBER, "", List.of(new GroupCommit.Entry(orders, 43, "till 7"))));
    requests.put(
        "GROUP_COMMIT request from outside",
        new GroupCommit("billing", OptionalInt.empty(), "", "", List.of(new GroupCommit.Entry(orders, 0, ""))));
    requests.put("GROUP_OFFSETS request", new GroupOffsets("billing"));
    requests.put("LIST_GROUPS request", new ListGroups());
    requests.put("LIST_TYPED_GROUPS request", new ListTypedGroups());
    requests.put("DESCRIBE_GROUP request", new DescribeGroup("billing"));
    requests.put("DELETE_GROUP request", new DeleteGroup("billing"));
    return requests;
  }

  /** Title to message: what the examples say in words. */
  static Map<String, Response> responses() {
    UUID topicId = UUID.fromString("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
    UUID brokerId = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    byte[] empty = {};
    Map<String, Response> responses = new LinkedHashMap<>();
    responses.put("ERROR response", new ErrorReply(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic"));
    responses.put(
        "HELLO response", new HelloReply(1, 64, 32 << 20, 16 << 20, 64 << 20, brokerId, "0.1.0"));
    responses.put(
        "HELLO response with a producer id",
        new HelloReply(1, 64, 32 << 20, 16 << 20, 64 << 20, brokerId, "0.1.0")
            .withProducer(new ProducerIdentity(2_000_003, (short) 0)));
    responses.put("PRODUCE_ACK response", new ProduceAck(41));
    responses.put(
        "RECORDS response",
        new Records(
            41,
            List.of(
                new Records.Entry(41, "k1".getBytes(), "hello".getBytes()),
                new Records.Entry(42, null, empty),
                new Records.Entry(43, empty, null))));
    responses.put("RECORDS response at the end", new Records(44, List.of()));
    responses.put("RECORD_BATCHES response", new RecordBatches(10, 43, List.of(batch().numbered(41, 0))));
    responses.put("OFFSET_FOR_TIME response", new OffsetForTimeReply(41));
    responses.put("DELETE_RECORDS response", new DeleteRecordsReply(42));
    responses.put(
        "METADATA response",
        new MetadataReply(
            List.of(
                MetadataReply.Topic.of("orders", topicId, 3),
                MetadataReply.Topic.failed("na\u00efve", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))));
    responses.put("CREATE_TOPIC response", new CreateTopicReply(topicId, 3));
    responses.put("ADD_PARTITIONS response", new AddPartitionsReply(6));
    responses.put("ALTER_TOPIC response", new AlterTopicReply());
    responses.put("DELETE_TOPIC response", new DeleteTopicReply());
    responses.put(
        "DESCRIBE_TOPIC response",
        new DescribeTopicReply(
            topicId,
            List.of(
                new DescribeTopicReply.Setting("retention.ms", "604800000", DescribeTopicReply.Source.TOPIC),
                new DescribeTopicReply.Setting("segment.bytes", "134217728", DescribeTopicReply.Source.BROKER_DEFAULT)),
            List.of(
                new DescribeTopicReply.Partition(0, DescribeTopicReply.State.WRITABLE, 10, 43, 4096, ""),
                new DescribeTopicReply.Partition(
                    1, DescribeTopicReply.State.FAILED, 0, 7, 512, "fdatasync: I/O error"))));
    responses.put("COMMIT_ACK response", new CommitAck());
    responses.put("OFFSET response", new CommittedOffset(OptionalLong.of(43)));
    responses.put("OFFSET response where nothing was committed", new CommittedOffset(OptionalLong.empty()));
    List<TopicPartitions> assignment = List.of(new TopicPartitions("orders", List.of(0, 1)));
    responses.put("JOIN_GROUP response", new JoinGroupReply(MEMBER, 3, "sticky", assignment));
    responses.put("GROUP_HEARTBEAT response", new GroupHeartbeatReply());
    responses.put("LEAVE_GROUP response", new LeaveGroupReply());
    responses.put("GROUP_COMMIT response", new GroupCommitReply(List.of(0, 2)));
    responses.put(
        "GROUP_OFFSETS response",
        new GroupOffsetsReply(
            List.of(new GroupOffsetsReply.Entry(new TopicPartition("orders", 0), 43, NOW_MS, "till 7"))));
    responses.put(
        "LIST_GROUPS response",
        new ListGroupsReply(List.of(new ListGroupsReply.Group("billing", GroupPhase.STABLE, "consumer"))));
    responses.put(
        "LIST_TYPED_GROUPS response",
        new ListTypedGroupsReply(
            List.of(
                new ListTypedGroupsReply.Group(
                    GroupType.CONSUMER, new ListGroupsReply.Group("billing", GroupPhase.STABLE, "consumer")))));
    responses.put(
        "DESCRIBE_GROUP response",
        new DescribeGroupReply(
            GroupPhase.STABLE,
            3,
            "consumer",
            "sticky",
            List.of(new DescribeGroupReply.Member(MEMBER, "", "till-7", "127.0.0.1", assignment))));
    responses.put("DELETE_GROUP response", new DeleteGroupReply());
    return responses;
  }

  /** The records of the PRODUCE example: plain, null key, null value. */
  static RecordBatch nativeRecords() {
    byte[] empty = {};
    return new RecordBatchBuilder(100)
        .append(NOW_MS, "k1".getBytes(), "hello".getBytes(), List.of())
        .append(NOW_MS, null, empty, List.of())
        .append(NOW_MS, empty, null, List.of())
        .build();
  }

  /** The batch of the PRODUCE_BATCH example. */
  static RecordBatch batch() {
    return new RecordBatchBuilder(100)
        .append(NOW_MS, "k1".getBytes(), "hello".getBytes(), List.of(new Header("trace", "7".getBytes())))
        .append(NOW_MS + 5, "k2".getBytes(), "world".getBytes(), List.of())
        .build();
  }

  /** The same, as an idempotent producer's 17th and 18th record. */
  static RecordBatch numberedBatch() {
    return new RecordBatchBuilder(100)
        .producer(2_000_003, (short) 0, 17)
        .append(NOW_MS, "k1".getBytes(), "hello".getBytes(), List.of(new Header("trace", "7".getBytes())))
        .append(NOW_MS + 5, "k2".getBytes(), "world".getBytes(), List.of())
        .build();
  }

  /** Decodes a whole frame, of either direction, and encodes it again. */
  static byte[] decodeAndEncode(byte[] frame) throws ProtocolException {
    int type = frame[4] & 0xff;
    return type < 0x80
        ? Requests.decode(type, frame, 5, frame.length, NOW_MS).toFrame()
        : Responses.decode(type, frame, 5, frame.length).toFrame();
  }
}
