package kaka.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import kaka.connection.AwaitedExchange;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.FrameExchange;
import kaka.group.CommittedOffsets;
import kaka.group.ConsumerProtocol;
import kaka.group.GroupHandle;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.partition.MemoryCharge;
import kaka.protocol.Commit;
import kaka.protocol.CommittedOffset;
import kaka.protocol.DeleteGroup;
import kaka.protocol.DescribeGroup;
import kaka.protocol.ErrorCode;
import kaka.protocol.GroupCommit;
import kaka.protocol.GroupHeartbeat;
import kaka.protocol.GroupHeartbeatReply;
import kaka.protocol.GroupOffsets;
import kaka.protocol.GroupOffsetsReply;
import kaka.protocol.JoinGroup;
import kaka.protocol.LeaveGroup;
import kaka.protocol.ListGroups;
import kaka.protocol.ListTypedGroups;
import kaka.protocol.Offsets;
import kaka.protocol.Request;
import kaka.record.TopicPartition;
import kaka.topic.TopicRoute;

/** What a connection asks about groups. Topics have names here and ids in the coordinator: they are looked up on the way. */
final class GroupRequests {
  private static final int NO_EPOCH = -1;

  /** What a request with several offsets, decoded, takes per byte; below so many bytes it is not charged. */
  private static final int COST_PER_BYTE = 4;

  private static final int FREE_BYTES = 4 << 10;

  /** What an offset takes in an answer, as an object and in the frame, beside its texts. */
  private static final int ENTRY_BYTES = 200;

  private final Connection connection;

  GroupRequests(Connection connection) {
    this.connection = connection;
  }

  Exchange take(Request request, int bodyBytes) {
    if (request instanceof Commit commit) {
      return commit(commit, bodyBytes);
    } else if (request instanceof GroupCommit commit) {
      return commit(commit, bodyBytes);
    } else if (request instanceof Offsets offsets) {
      return offsets(offsets, bodyBytes);
    } else if (request instanceof GroupOffsets offsets) {
      return offsets(offsets, bodyBytes);
    } else if (request instanceof JoinGroup join) {
      return ask(join(join), GroupAnswers::joined, bodyBytes);
    } else if (request instanceof GroupHeartbeat beat) {
      GroupRequest heartbeat =
          new GroupRequest.Heartbeat(beat.group(), beat.generation(), beat.memberId(), instance(beat.instanceId()));
      return ask(heartbeat, alive -> new GroupHeartbeatReply().toFrame(), bodyBytes);
    } else if (request instanceof LeaveGroup leave) {
      List<GroupRequest.Leaving> leaving = List.of(new GroupRequest.Leaving(leave.memberId(), instance(leave.instanceId())));
      return ask(new GroupRequest.Leave(leave.group(), leaving), GroupAnswers::left, bodyBytes);
    } else if (request instanceof ListGroups) {
      return ask(new GroupRequest.ListGroups(java.util.Set.of()), GroupAnswers::listed, bodyBytes);
    } else if (request instanceof ListTypedGroups) {
      return ask(new GroupRequest.ListGroups(java.util.Set.of()), GroupAnswers::listedWithTypes, bodyBytes);
    } else if (request instanceof DescribeGroup describe) {
      return ask(new GroupRequest.DescribeGroups(List.of(describe.group())), GroupAnswers::described, bodyBytes);
    } else if (request instanceof DeleteGroup delete) {
      return ask(new GroupRequest.DeleteGroups(List.of(delete.group())), GroupAnswers::deleted, bodyBytes);
    }
    throw new IllegalArgumentException("no request about groups: " + request);
  }

  private Exchange ask(GroupRequest request, Function<GroupResult, byte[]> toFrame, int bodyBytes) {
    return new GroupExchange(connection, request, MemoryCharge.NONE, toFrame, bodyBytes);
  }

  private static Optional<String> instance(String id) {
    return id.isEmpty() ? Optional.empty() : Optional.of(id);
  }

  private GroupRequest join(JoinGroup join) {
    List<GroupRequest.Protocol> protocols = new ArrayList<>();
    join.strategies().forEach(
        name -> protocols.add(new GroupRequest.Protocol(name, ConsumerProtocol.subscription(join.topics()))));
    return new GroupRequest.Join(
        join.group(),
        join.memberId(),
        instance(join.instanceId()),
        join.clientId(),
        host(),
        ConsumerProtocol.TYPE,
        protocols,
        join.sessionTimeoutMs(),
        join.rebalanceTimeoutMs(),
        false,
        false,
        GroupRequest.Assigning.BY_COORDINATOR);
  }

  /** The peer without its port. */
  private String host() {
    String peer = connection.peer();
    int colon = peer.lastIndexOf(':');
    return peer.substring(peer.startsWith("/") ? 1 : 0, colon < 0 ? peer.length() : colon);
  }

  // ---------------------------------------------------------------- commit

  /** Asked at once, so that commits that were sent together share a sync. */
  private Exchange commit(Commit commit, int bodyBytes) {
    Optional<TopicIdPartition> partition = find(commit.partition());
    if (partition.isEmpty()) {
      String what = "no topic with partition " + commit.partition();
      return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what));
    }
    GroupRequest.OffsetToCommit offset = new GroupRequest.OffsetToCommit(partition.get(), commit.offset(), NO_EPOCH, "");
    GroupRequest request =
        new GroupRequest.Commit(commit.group(), OptionalInt.empty(), "", Optional.empty(), List.of(offset));
    return new GroupExchange(connection, request, MemoryCharge.NONE, GroupAnswers::committedOne, bodyBytes).askedNow();
  }

  private Exchange commit(GroupCommit commit, int bodyBytes) {
    long cost = bodyBytes <= FREE_BYTES ? 0 : (long) bodyBytes * COST_PER_BYTE;
    Optional<MemoryCharge> held = MemoryCharge.tryReserve(connection.services().memory(), cost);
    if (held.isEmpty()) {
      return FrameExchange.of(bodyBytes, Answers.noMemory());
    }
    List<GroupRequest.OffsetToCommit> offsets = new ArrayList<>();
    List<Boolean> known = new ArrayList<>();
    for (GroupCommit.Entry entry : commit.offsets()) {
      Optional<TopicIdPartition> partition = find(entry.partition());
      known.add(partition.isPresent());
      partition.ifPresent(
          id -> offsets.add(new GroupRequest.OffsetToCommit(id, entry.offset(), NO_EPOCH, entry.metadata())));
    }
    GroupRequest request =
        new GroupRequest.Commit(
            commit.group(), commit.generation(), commit.memberId(), instance(commit.instanceId()), offsets);
    return new GroupExchange(
            connection, request, held.get(), result -> GroupAnswers.committed(result, known), bodyBytes)
        .askedNow();
  }

  // ---------------------------------------------------------------- read

  /** Read when its turn comes, so that it sees the commits before it; nobody is asked. */
  private Exchange offsets(Offsets offsets, int bodyBytes) {
    return new AwaitedExchange(
        bodyBytes,
        exchange -> {
          GroupHandle groups = connection.services().groups();
          exchange.complete(groups.isReadable() ? committedOffset(offsets) : Answers.unreadable(groups));
        });
  }

  private byte[] committedOffset(Offsets offsets) {
    Optional<StoredOffset> stored =
        find(offsets.partition())
            .flatMap(partition -> connection.services().groups().offsets().find(offsets.group(), partition));
    return new CommittedOffset(stored.map(StoredOffset::number).orElse(OptionalLong.empty())).toFrame();
  }

  private Exchange offsets(GroupOffsets offsets, int bodyBytes) {
    GroupHandle groups = connection.services().groups();
    return new ChargedExchange(
        bodyBytes,
        connection,
        () -> (long) groups.offsets().countOf(offsets.group()) * ENTRY_BYTES + groups.offsets().metadataBytesOf(offsets.group()),
        () -> groups.isReadable() ? committedOffsets(groups.offsets(), offsets.group()) : Answers.unreadable(groups));
  }

  private byte[] committedOffsets(CommittedOffsets committed, String group) {
    Map<UUID, TopicRoute> topics = new LinkedHashMap<>();
    connection.services().routes().table().all().forEach(route -> topics.put(route.topic().id(), route));
    List<GroupOffsetsReply.Entry> entries = new ArrayList<>();
    committed.of(group).forEach(
        (partition, stored) -> {
          TopicRoute route = topics.get(partition.topicId());
          if (route != null && stored.number().isPresent()) { // without a route it is being deleted
            TopicPartition named = new TopicPartition(route.topic().name(), partition.partition());
            entries.add(new GroupOffsetsReply.Entry(named, stored.offset(), stored.commitMs(), stored.metadata()));
          }
        });
    return new GroupOffsetsReply(entries).toFrame();
  }

  private Optional<TopicIdPartition> find(TopicPartition partition) {
    return connection
        .services()
        .routes()
        .table()
        .find(partition.topic())
        .filter(route -> partition.partition() < route.partitions().size())
        .map(route -> new TopicIdPartition(route.topic().id(), partition.partition()));
  }
}
