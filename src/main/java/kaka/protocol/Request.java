package kaka.protocol;

/** What a client asks. Each is answered by one {@link Response}, in the order the requests came. */
public sealed interface Request
    permits Produce,
        ProduceBatch,
        Fetch,
        FetchBatches,
        Commit,
        Offsets,
        Metadata,
        Hello,
        CreateTopic,
        DeleteTopic,
        DescribeTopic,
        OffsetForTime,
        DeleteRecords,
        AddPartitions,
        AlterTopic,
        JoinGroup,
        GroupHeartbeat,
        LeaveGroup,
        GroupCommit,
        GroupOffsets,
        ListGroups,
        DescribeGroup,
        DeleteGroup,
        ListTypedGroups {
  /** The frame's type byte, see {@link MessageType}. */
  int type();

  /** Writes the body. */
  void encode(WireWriter out);

  /** The whole frame, in an array of its own. */
  default byte[] toFrame() {
    return new WireWriter().frame(this).toByteArray();
  }
}
