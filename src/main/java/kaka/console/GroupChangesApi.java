package kaka.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import kaka.group.GroupError;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.log.LogSnapshot;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionHandle;
import kaka.record.TopicPartition;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/** Commits for groups, moves where they go on, and deletes them; each only while the group has no members. */
final class GroupChangesApi {
  /** Offsets of one request. */
  private static final int MAX_OFFSETS = 10_000;

  /** What an offset takes in the coordinator besides its words, about. */
  private static final int OFFSET_BYTES = 300;

  private static final int NO_EPOCH = -1;

  private final BrokerFacts facts;
  private final GroupsApi groups;
  private final LogReads reads;
  private final ApiGuard guard;

  GroupChangesApi(BrokerFacts facts, GroupsApi groups, LogReads reads, ApiGuard guard) {
    this.facts = facts;
    this.groups = groups;
    this.reads = reads;
    this.guard = guard;
  }

  // ---------------------------------------------------------------- commit

  private record Offset(TopicPartition partition, long offset, String metadata) {}

  CompletionStage<ApiAnswer> commit(ApiCall call) {
    List<Offset> offsets = new ArrayList<>();
    for (JsonFields each : call.body().only("offsets").objects("offsets")) {
      each.only("topic", "partition", "offset", "metadata");
      int partition = (int) each.needNumber("partition", 0, Integer.MAX_VALUE);
      TopicPartition id = new TopicPartition(each.needText("topic"), partition);
      offsets.add(new Offset(id, each.needNumber("offset", 0, Long.MAX_VALUE), each.text("metadata").orElse("")));
    }
    if (offsets.isEmpty()) {
      throw call.body().expected("offsets", "at least one");
    }
    return commit(call.group(), offsets)
        .thenApply(
            done -> {
              JsonWriter out = new JsonWriter().put("group", call.group()).array("committed");
              for (Offset each : offsets) {
                write(out.object(), each.partition()).put("offset", each.offset()).end();
              }
              return ApiAnswer.ok(out.endArray());
            });
  }

  private CompletionStage<GroupResult> commit(String group, List<Offset> offsets) {
    requireFew(offsets.size());
    RoutingTable table = facts.routes().table();
    List<GroupRequest.OffsetToCommit> toCommit = new ArrayList<>();
    long cost = 0;
    for (Offset each : offsets) {
      TopicPartition id = each.partition();
      TopicsApi.find(table, id);
      TopicIdPartition partition = new TopicIdPartition(TopicsApi.find(table, id.topic()).topic().id(), id.partition());
      toCommit.add(new GroupRequest.OffsetToCommit(partition, each.offset(), NO_EPOCH, each.metadata()));
      cost += OFFSET_BYTES + 2L * each.metadata().length();
    }
    MemoryCharge charge = MemoryCharge.tryReserve(facts.memory(), cost).orElseThrow(ApiError::noMemory);
    return groups
        .ask(new GroupRequest.Commit(group, OptionalInt.empty(), "", Optional.empty(), toCommit), charge::release)
        .thenApply(
            result -> {
              for (Optional<GroupError> error : ((GroupResult.Committed) result).errors()) {
                error.ifPresent(
                    reason -> {
                      throw of(reason, reason.text());
                    });
              }
              return result;
            });
  }

  private static void requireFew(int count) {
    if (count > MAX_OFFSETS) {
      throw ApiError.of(413, "too_large", count + " offsets: at most " + MAX_OFFSETS + " in one request");
    }
  }

  private static JsonWriter write(JsonWriter out, TopicPartition partition) {
    return out.put("topic", partition.topic()).put("partition", partition.partition());
  }

  // ---------------------------------------------------------------- reset

  /** Where a group is to go on. */
  private sealed interface Target {
    record Earliest() implements Target {}

    record Latest() implements Target {}

    record AtOffset(long offset) implements Target {}

    record AtTime(long timestampMs) implements Target {}

    record Shift(long by) implements Target {}
  }

  private record Move(TopicPartition partition, OptionalLong from, long to) {}

  CompletionStage<ApiAnswer> reset(ApiCall call) {
    JsonFields body = call.body().only("to", "topics", "partitions", "dry_run");
    Target target = target(body);
    boolean isDry = body.flag("dry_run");
    if (!isDry) {
      guard.requireWritable();
    }
    Set<String> topics = new TreeSet<>(body.texts("topics"));
    Set<Long> partitions = new TreeSet<>(body.numbers("partitions"));
    if (!partitions.isEmpty() && topics.size() != 1) {
      throw body.expected("partitions", "one topic beside it");
    }
    return withoutMembers(call.group(), topics)
        .thenCompose(nobody -> reads.run(() -> moves(call.group(), target, topics, partitions)))
        .thenCompose(moves -> isDry || moves.isEmpty() ? done(moves) : commitMoves(call.group(), moves))
        .thenApply(moves -> answer(call.group(), isDry, moves));
  }

  private static Target target(JsonFields body) {
    if (body.isText("to")) {
      return switch (body.needText("to")) {
        case "earliest" -> new Target.Earliest();
        case "latest" -> new Target.Latest();
        default -> throw body.expected("to", "\"earliest\", \"latest\" or an object");
      };
    }
    JsonFields to = body.object("to").only("offset", "time", "shift");
    if (to.names().size() != 1) {
      throw body.expected("to", "one of offset, time and shift");
    }
    OptionalLong offset = to.number("offset", 0, Long.MAX_VALUE);
    OptionalLong time = to.number("time", 0, Long.MAX_VALUE);
    if (offset.isPresent()) {
      return new Target.AtOffset(offset.getAsLong());
    }
    return time.isPresent() ? new Target.AtTime(time.getAsLong()) : new Target.Shift(to.needNumber("shift", -Long.MAX_VALUE, Long.MAX_VALUE));
  }

  /** A group that there is not yet can be given a place in topics that are named. */
  private CompletionStage<Void> withoutMembers(String group, Set<String> topics) {
    return groups
        .ask(new GroupRequest.DescribeGroups(List.of(group)))
        .thenAccept(
            result -> {
              GroupResult.Description found = ((GroupResult.GroupsDescribed) result).groups().get(0);
              if (!found.members().isEmpty()) {
                throw of(GroupError.NOT_EMPTY, "group '" + group + "' has members (" + found.phase().text() + ")");
              }
              if (found.phase() == kaka.group.GroupPhase.DEAD && topics.isEmpty()) {
                throw ApiError.unknownGroup(group);
              }
            });
  }

  private List<Move> moves(String group, Target target, Set<String> topics, Set<Long> partitions) throws java.io.IOException {
    RoutingTable table = facts.routes().table();
    Map<TopicPartition, StoredOffset> committed = groups.committed(table, group);
    List<TopicPartition> wanted = new ArrayList<>();
    if (topics.isEmpty()) {
      wanted.addAll(committed.keySet());
    }
    for (String topic : topics) {
      TopicRoute route = TopicsApi.find(table, topic);
      for (long number : partitions) {
        if (number < 0 || number >= route.partitions().size()) {
          throw ApiError.unknownPartition(topic, number);
        }
      }
      for (PartitionHandle handle : route.partitions()) {
        if (partitions.isEmpty() || partitions.contains((long) handle.id().partition())) {
          wanted.add(handle.id());
        }
      }
    }
    requireFew(wanted.size());
    List<Move> moves = new ArrayList<>();
    for (TopicPartition each : wanted) {
      OptionalLong from = Optional.ofNullable(committed.get(each)).map(StoredOffset::number).orElse(OptionalLong.empty());
      moves.add(new Move(each, from, place(target, each, from, SegmentsApi.openLog(TopicsApi.find(table, each)))));
    }
    return moves;
  }

  /** An offset that the partition does not have becomes its first, or its end. */
  private static long place(Target target, TopicPartition partition, OptionalLong from, LogSnapshot log) throws java.io.IOException {
    long end = log.lastStableOffset();
    long wanted;
    if (target instanceof Target.AtOffset at) {
      wanted = at.offset();
    } else if (target instanceof Target.AtTime at) {
      wanted = log.committed().offsetForTime(at.timestampMs()).orElse(end);
    } else if (target instanceof Target.Shift shift) {
      if (from.isEmpty()) {
        throw ApiError.badRequest("to.shift: nothing is committed for " + partition + " that it could go from");
      }
      long committed = from.getAsLong();
      wanted = shift.by() > Long.MAX_VALUE - committed ? Long.MAX_VALUE : committed + shift.by();
    } else {
      wanted = target instanceof Target.Latest ? end : log.logStartOffset();
    }
    return Math.max(log.logStartOffset(), Math.min(wanted, end));
  }

  private static CompletionStage<List<Move>> done(List<Move> moves) {
    return CompletableFuture.completedFuture(moves);
  }

  private CompletionStage<List<Move>> commitMoves(String group, List<Move> moves) {
    return commit(group, moves.stream().map(move -> new Offset(move.partition(), move.to(), "")).toList()).thenApply(result -> moves);
  }

  private static ApiAnswer answer(String group, boolean isDry, List<Move> moves) {
    JsonWriter out = new JsonWriter().put("group", group).put("dry_run", isDry).array("moves");
    for (Move move : moves) {
      write(out.object(), move.partition()).put("from", move.from()).put("to", move.to()).end();
    }
    return ApiAnswer.ok(out.endArray());
  }

  // ---------------------------------------------------------------- delete

  CompletionStage<ApiAnswer> delete(ApiCall call) {
    String group = call.group();
    return groups
        .ask(new GroupRequest.DeleteGroups(List.of(group)))
        .thenApply(
            result -> {
              Optional<GroupError> error = ((GroupResult.GroupsDeleted) result).errors().get(group);
              if (error.isPresent()) {
                throw error.get() == GroupError.GROUP_NOT_FOUND ? ApiError.unknownGroup(group) : of(error.get(), error.get().text());
              }
              return ApiAnswer.ok(new JsonWriter().put("deleted", group));
            });
  }

  /** The coordinator's reasons in the API's words. */
  static ApiError of(GroupError reason, String message) {
    return switch (reason) {
      case NOT_EMPTY, SUBSCRIBED_TO_TOPIC, UNKNOWN_MEMBER, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, FENCED_INSTANCE ->
          ApiError.of(409, "group_not_empty", reason == GroupError.NOT_EMPTY ? message : "the group has members")
              .advising("stop its members first: they would not notice");
      case GROUP_NOT_FOUND -> ApiError.of(404, "unknown_group", message);
      case UNKNOWN_TOPIC_OR_PARTITION -> ApiError.of(404, "unknown_partition", message);
      case MEMORY -> ApiError.noMemory();
      case STORAGE -> ApiError.storage(message);
      case DISK_NEARLY_FULL -> ApiError.unavailable(message);
      case SHUTTING_DOWN -> ApiError.of(503, "shutting_down", message);
      case INVALID_GROUP_ID, INVALID_SESSION_TIMEOUT, INCONSISTENT_PROTOCOL, GROUP_FULL, TOO_MANY_GROUPS, METADATA_TOO_LARGE,
          FENCED_EPOCH, STALE_EPOCH, UNRELEASED_INSTANCE, UNSUPPORTED_ASSIGNOR, INVALID_PATTERN, SUBSCRIPTION_TOO_LARGE,
          INVALID_TRANSACTION -> ApiError.badRequest(message);
    };
  }
}
