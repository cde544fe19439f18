package kaka.protocol;

/**
 * DELETE_RECORDS, type 0x8d: the records are gone, and will be after a restart. Body: {@code log_start_offset u64}.
 *
 * @param logStartOffset the oldest record kept; above what was asked for, if those before it were gone already
 */
public record DeleteRecordsReply(long logStartOffset) implements Response {
  public DeleteRecordsReply {
    if (logStartOffset < 0) {
      throw new IllegalArgumentException("logStartOffset " + logStartOffset);
    }
  }

  static DeleteRecordsReply decode(WireReader in) throws ProtocolException {
    long logStartOffset = in.uint63("log_start_offset");
    in.end();
    return new DeleteRecordsReply(logStartOffset);
  }

  @Override
  public int type() {
    return MessageType.DELETE_RECORDS_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(logStartOffset);
  }
}
