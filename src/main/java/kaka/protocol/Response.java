package kaka.protocol;

/** What the broker answers. */
public sealed interface Response
    permits ProduceAck,
        Records,
        RecordBatches,
        CommitAck,
        CommittedOffset,
        MetadataReply,
        HelloReply,
        CreateTopicReply,
        DeleteTopicReply,
        DescribeTopicReply,
        OffsetForTimeReply,
        DeleteRecordsReply,
        AddPartitionsReply,
        AlterTopicReply,
        JoinGroupReply,
        GroupHeartbeatReply,
        LeaveGroupReply,
        GroupCommitReply,
        GroupOffsetsReply,
        ListGroupsReply,
        ListTypedGroupsReply,
        DescribeGroupReply,
        DeleteGroupReply,
        ErrorReply {
  /** The frame's type byte, see {@link MessageType}. */
  int type();

  /** Writes the body. */
  void encode(WireWriter out);

  /** The whole frame, in an array of its own. */
  default byte[] toFrame() {
    return new WireWriter().frame(this).toByteArray();
  }
}
