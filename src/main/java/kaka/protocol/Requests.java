package kaka.protocol;

/** Decodes what clients send. */
public final class Requests {
  private Requests() {}

  /**
   * Decodes the body {@code array[from, to)} of a frame of {@code type}. The message points at nothing of {@code array}.
   *
   * @param nowMs the broker's clock, in milliseconds since 1970: a PRODUCE's records get it
   * @throws ProtocolException if the body is no such message, or the type is unknown (UNSUPPORTED); framing is intact
   */
  public static Request decode(int type, byte[] array, int from, int to, long nowMs) throws ProtocolException {
    WireReader in = new WireReader(array, from, to);
    return switch (type) {
      case MessageType.PRODUCE -> Produce.decode(in, nowMs);
      case MessageType.FETCH -> Fetch.decode(in);
      case MessageType.COMMIT -> Commit.decode(in);
      case MessageType.OFFSETS -> Offsets.decode(in);
      case MessageType.METADATA -> Metadata.decode(in);
      case MessageType.HELLO -> Hello.decode(in);
      case MessageType.CREATE_TOPIC -> CreateTopic.decode(in);
      case MessageType.DELETE_TOPIC -> DeleteTopic.decode(in);
      case MessageType.DESCRIBE_TOPIC -> DescribeTopic.decode(in);
      case MessageType.OFFSET_FOR_TIME -> OffsetForTime.decode(in);
      case MessageType.PRODUCE_BATCH -> ProduceBatch.decode(in);
      case MessageType.FETCH_BATCHES -> FetchBatches.decode(in);
      case MessageType.DELETE_RECORDS -> DeleteRecords.decode(in);
      case MessageType.ADD_PARTITIONS -> AddPartitions.decode(in);
      case MessageType.ALTER_TOPIC -> AlterTopic.decode(in);
      case MessageType.JOIN_GROUP -> JoinGroup.decode(in);
      case MessageType.GROUP_HEARTBEAT -> GroupHeartbeat.decode(in);
      case MessageType.LEAVE_GROUP -> LeaveGroup.decode(in);
      case MessageType.GROUP_COMMIT -> GroupCommit.decode(in);
      case MessageType.GROUP_OFFSETS -> GroupOffsets.decode(in);
      case MessageType.LIST_GROUPS -> ListGroups.decode(in);
      case MessageType.DESCRIBE_GROUP -> DescribeGroup.decode(in);
      case MessageType.DELETE_GROUP -> DeleteGroup.decode(in);
      case MessageType.LIST_TYPED_GROUPS -> ListTypedGroups.decode(in);
      default -> throw new ProtocolException(ErrorCode.UNSUPPORTED, "type", 0, "no request 0x%02x".formatted(type));
    };
  }
}
