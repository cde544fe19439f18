package kaka.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import kaka.protocol.DeleteGroup;
import kaka.protocol.DeleteGroupReply;
import kaka.protocol.DescribeGroup;
import kaka.protocol.DescribeGroupReply;
import kaka.protocol.GroupCommit;
import kaka.protocol.GroupCommitReply;
import kaka.protocol.GroupOffsets;
import kaka.protocol.GroupOffsetsReply;
import kaka.protocol.ListGroupsReply;
import kaka.protocol.ListTypedGroups;
import kaka.protocol.ListTypedGroupsReply;
import kaka.record.TopicPartition;

/** Asks about groups and changes those without members. As {@link Admin} in all else. */
public final class GroupAdmin {
  private final RequestLink link;

  GroupAdmin(RequestLink link) {
    this.link = link;
  }

  /**
   * @param state Empty, PreparingRebalance, CompletingRebalance, Reconciling or Stable
   * @param type Classic or Consumer, as Kafka's tools have it: whether members assign, or the broker
   * @param protocolType empty if the group never had members
   */
  public record Listing(String group, String state, String type, String protocolType) {}

  /** @param instanceId empty if it is not static */
  public record Member(
      String memberId, String instanceId, String clientId, String host, List<TopicPartition> assignment) {
    public Member {
      assignment = List.copyOf(assignment);
    }
  }

  /** @param state Dead if there is no such group; {@code strategy} empty before one is chosen */
  public record Description(String state, int generation, String protocolType, String strategy, List<Member> members) {
    public Description {
      members = List.copyOf(members);
    }

    public boolean exists() {
      return !state.equals("Dead");
    }
  }

  /** All groups, by name. */
  public CompletableFuture<List<Listing>> list() {
    return link.ask(new ListTypedGroups(), ListTypedGroupsReply.class, Duration.ZERO)
        .thenApply(reply -> reply.groups().stream().map(GroupAdmin::listing).toList());
  }

  private static Listing listing(ListTypedGroupsReply.Group group) {
    ListGroupsReply.Group listed = group.listed();
    return new Listing(listed.name(), listed.phase().text(), group.type().text(), listed.protocolType());
  }

  public CompletableFuture<Description> describe(String group) {
    return link.ask(new DescribeGroup(group), DescribeGroupReply.class, Duration.ZERO).thenApply(GroupAdmin::description);
  }

  private static Description description(DescribeGroupReply reply) {
    List<Member> members = new ArrayList<>();
    for (DescribeGroupReply.Member each : reply.members()) {
      List<TopicPartition> assignment = new ArrayList<>();
      each.assignment().forEach(
          topic -> topic.partitions().forEach(number -> assignment.add(new TopicPartition(topic.topic(), number))));
      members.add(new Member(each.memberId(), each.instanceId(), each.clientId(), each.host(), assignment));
    }
    return new Description(reply.phase().text(), reply.generation(), reply.protocolType(), reply.strategy(), members);
  }

  /** What the group has committed. */
  public CompletableFuture<Map<TopicPartition, Long>> offsets(String group) {
    return link.ask(new GroupOffsets(group), GroupOffsetsReply.class, Duration.ZERO)
        .thenApply(
            reply -> {
              Map<TopicPartition, Long> offsets = new HashMap<>();
              reply.offsets().forEach(entry -> offsets.put(entry.partition(), entry.offset()));
              return offsets;
            });
  }

  /** Commits for a group, which must have no members. */
  public CompletableFuture<Void> commit(String group, Map<TopicPartition, Long> offsets) {
    List<GroupCommit.Entry> entries = new ArrayList<>();
    offsets.forEach((partition, offset) -> entries.add(new GroupCommit.Entry(partition, offset, "")));
    return link.ask(new GroupCommit(group, OptionalInt.empty(), "", "", entries), GroupCommitReply.class, Duration.ZERO)
        .thenAccept(
            reply -> {
              for (int i = 0; i < entries.size(); i++) {
                if (reply.errors().get(i) != 0) {
                  throw KakaException.refused(reply.errors().get(i), "offset of " + entries.get(i).partition() + " not committed");
                }
              }
            });
  }

  /** Deletes a group, which must have no members, and all it has committed. */
  public CompletableFuture<Void> delete(String group) {
    return link.ask(new DeleteGroup(group), DeleteGroupReply.class, Duration.ZERO).thenAccept(reply -> {});
  }
}
