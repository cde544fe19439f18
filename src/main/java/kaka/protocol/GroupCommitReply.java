package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * GROUP_COMMIT, type 0x93: what became of each offset, in the order of the request. Body: {@code n u32 | n x error u16}.
 *
 * @param errors 0: it is on disk; or the number of an {@link ErrorCode}
 */
public record GroupCommitReply(List<Integer> errors) implements Response {
  public GroupCommitReply {
    errors.forEach(error -> Limits.checkUint16(error, "error"));
    errors = List.copyOf(errors);
  }

  static GroupCommitReply decode(WireReader in) throws ProtocolException {
    int n = in.count32(0, 2, "n");
    List<Integer> errors = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      errors.add(in.uint16("error"));
    }
    in.end();
    return new GroupCommitReply(errors);
  }

  @Override
  public int type() {
    return MessageType.GROUP_COMMIT_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(errors.size());
    errors.forEach(out::int16);
  }
}
