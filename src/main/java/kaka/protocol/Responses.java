package kaka.protocol;

/** Decodes what brokers answer. */
public final class Responses {
  private Responses() {}

  /**
   * Decodes the body {@code array[from, to)} of a frame of {@code type}. The message points at nothing of {@code array}.
   *
   * @throws ProtocolException if the body is no such message, or the type is unknown (UNSUPPORTED); framing is intact
   */
  public static Response decode(int type, byte[] array, int from, int to) throws ProtocolException {
    WireReader in = new WireReader(array, from, to);
    return switch (type) {
      case MessageType.PRODUCE_ACK -> ProduceAck.decode(in);
      case MessageType.RECORDS -> Records.decode(in);
      case MessageType.COMMIT_ACK -> CommitAck.decode(in);
      case MessageType.OFFSET -> CommittedOffset.decode(in);
      case MessageType.METADATA_REPLY -> MetadataReply.decode(in);
      case MessageType.HELLO_REPLY -> HelloReply.decode(in);
      case MessageType.CREATE_TOPIC_REPLY -> CreateTopicReply.decode(in);
      case MessageType.DELETE_TOPIC_REPLY -> DeleteTopicReply.decode(in);
      case MessageType.DESCRIBE_TOPIC_REPLY -> DescribeTopicReply.decode(in);
      case MessageType.OFFSET_FOR_TIME_REPLY -> OffsetForTimeReply.decode(in);
      case MessageType.RECORD_BATCHES -> RecordBatches.decode(in);
      case MessageType.DELETE_RECORDS_REPLY -> DeleteRecordsReply.decode(in);
      case MessageType.ADD_PARTITIONS_REPLY -> AddPartitionsReply.decode(in);
      case MessageType.ALTER_TOPIC_REPLY -> AlterTopicReply.decode(in);
      case MessageType.JOIN_GROUP_REPLY -> JoinGroupReply.decode(in);
      case MessageType.GROUP_HEARTBEAT_REPLY -> GroupHeartbeatReply.decode(in);
      case MessageType.LEAVE_GROUP_REPLY -> LeaveGroupReply.decode(in);
      case MessageType.GROUP_COMMIT_REPLY -> GroupCommitReply.decode(in);
      case MessageType.GROUP_OFFSETS_REPLY -> GroupOffsetsReply.decode(in);
      case MessageType.LIST_GROUPS_REPLY -> ListGroupsReply.decode(in);
      case MessageType.LIST_TYPED_GROUPS_REPLY -> ListTypedGroupsReply.decode(in);
      case MessageType.DESCRIBE_GROUP_REPLY -> DescribeGroupReply.decode(in);
      case MessageType.DELETE_GROUP_REPLY -> DeleteGroupReply.decode(in);
      case MessageType.ERROR -> ErrorReply.decode(in);
      default -> throw new ProtocolException(ErrorCode.UNSUPPORTED, "type", 0, "no answer 0x%02x".formatted(type));
    };
  }
}
