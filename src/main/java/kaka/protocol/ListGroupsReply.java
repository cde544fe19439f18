package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * LIST_GROUPS, type 0x95. Body: {@code n u32 | n x (group name | state u8 | protocol_type name)}.
 *
 * @param groups in the order of their names
 */
public record ListGroupsReply(List<Group> groups) implements Response {
  /** @param protocolType {@code consumer} for a group that has had members, empty for one that only ever committed */
  public record Group(String name, GroupPhase phase, String protocolType) {
    static final int LEAST_BYTES = 5;

    public Group {
      Limits.checkString(name, Limits.NAME_BYTES, "group");
      Limits.checkString(protocolType, Limits.NAME_BYTES, "protocol_type");
    }

    static Group decode(WireReader in) throws ProtocolException {
      String name = in.string(Limits.NAME_BYTES, "group");
      GroupPhase phase = in.oneOf(GroupPhase.values(), "state");
      return new Group(name, phase, in.string(Limits.NAME_BYTES, "protocol_type"));
    }

    void encode(WireWriter out) {
      out.string(name).int8(phase.ordinal()).string(protocolType);
    }
  }

  public ListGroupsReply {
    groups = List.copyOf(groups);
  }

  static ListGroupsReply decode(WireReader in) throws ProtocolException {
    int n = in.count32(0, Group.LEAST_BYTES, "n");
    List<Group> groups = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      groups.add(Group.decode(in));
    }
    in.end();
    return new ListGroupsReply(groups);
  }

  @Override
  public int type() {
    return MessageType.LIST_GROUPS_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(groups.size());
    groups.forEach(group -> group.encode(out));
  }
}
