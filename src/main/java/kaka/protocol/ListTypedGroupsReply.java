package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * LIST_TYPED_GROUPS, type 0x98. Body: {@code n u32 | n x (type u8 | group name | state u8 | protocol_type name)}.
 *
 * @param groups in the order of their names
 */
public record ListTypedGroupsReply(List<Group> groups) implements Response {
  /** @param listed what LIST_GROUPS says of it */
  public record Group(GroupType type, ListGroupsReply.Group listed) {}

  public ListTypedGroupsReply {
    groups = List.copyOf(groups);
  }

  static ListTypedGroupsReply decode(WireReader in) throws ProtocolException {
    int n = in.count32(0, 1 + ListGroupsReply.Group.LEAST_BYTES, "n");
    List<Group> groups = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      groups.add(new Group(in.oneOf(GroupType.values(), "group_type"), ListGroupsReply.Group.decode(in)));
    }
    in.end();
    return new ListTypedGroupsReply(groups);
  }

  @Override
  public int type() {
    return MessageType.LIST_TYPED_GROUPS_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(groups.size());
    for (Group group : groups) {
      out.int8(group.type.ordinal());
      group.listed.encode(out);
    }
  }
}
