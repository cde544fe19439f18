package kaka.server;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import kaka.connection.AwaitedExchange;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.FrameExchange;
import kaka.group.GroupError;
import kaka.group.GroupHandle;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.partition.MemoryCharge;
import kaka.protocol.Commit;
import kaka.protocol.CommitAck;
import kaka.protocol.CommittedOffset;
import kaka.protocol.ErrorCode;
import kaka.protocol.Offsets;
import kaka.protocol.Request;
import kaka.record.TopicPartition;

/** What a connection asks about groups. Topics have names here and ids in the coordinator: they are looked up on the way. */
final class GroupRequests {
  private static final int NO_EPOCH = -1;

  private final Connection connection;

  GroupRequests(Connection connection) {
    this.connection = connection;
  }

  Exchange take(Request request, int bodyBytes) {
    if (request instanceof Commit commit) {
      return commit(commit, bodyBytes);
    } else if (request instanceof Offsets offsets) {
      return offsets(offsets, bodyBytes);
    }
    String what = "request 0x%02x".formatted(request.type());
    return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.UNSUPPORTED, what));
  }

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
    return new GroupExchange(connection, request, MemoryCharge.NONE, GroupRequests::committed, bodyBytes).askedNow();
  }

  private static byte[] committed(GroupResult result) {
    Optional<GroupError> error = ((GroupResult.Committed) result).errors().get(0);
    return error.map(Answers::error).orElseGet(() -> new CommitAck().toFrame());
  }

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
    return new CommittedOffset(stored.map(each -> OptionalLong.of(each.offset())).orElse(OptionalLong.empty())).toFrame();
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
