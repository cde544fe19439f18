package kaka.console;

import akka.actor.typed.ActorRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kaka.group.CommittedOffsets;
import kaka.group.ConsumerProtocol;
import kaka.group.EpochMember;
import kaka.group.GroupCoordinator;
import kaka.group.GroupPhase;
import kaka.group.GroupReply;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.group.GroupType;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionHandle;
import kaka.record.TopicPartition;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/** Groups: what they have committed is read where it is published, their members are asked of the coordinator. */
final class GroupsApi {
  /** How long a list waits for the coordinator, before it does without what only that knows. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Of the words that a client puts beside an offset, or calls itself, so many characters are shown. */
  private static final int MAX_TEXT = 256;

  private static final String UNKNOWN = "unknown";

  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  private final BrokerFacts facts;
  private final GroupLags lags;
  private final Questions questions;
  private CompletableFuture<GroupResult> listing = CompletableFuture.completedFuture(null); // the oldest; guarded by this
  private long listingNs; // when it was asked for; guarded by this

  GroupsApi(BrokerFacts facts, GroupLags lags, Questions questions) {
    this.facts = facts;
    this.lags = lags;
    this.questions = questions;
  }

  // ---------------------------------------------------------------- the list

  private record Row(String name, String state, String type, String protocolType, OptionalLong members, int partitions, long lag) {}

  private static Map<String, Comparator<Row>> sorts() {
    Map<String, Comparator<Row>> sorts = new LinkedHashMap<>();
    sorts.put("name", Comparator.comparing(Row::name));
    sorts.put("lag", Comparator.comparingLong(Row::lag));
    sorts.put("members", Comparator.comparingLong(row -> row.members().orElse(0)));
    sorts.put("state", Comparator.comparing(Row::state));
    return sorts;
  }

  CompletionStage<ApiAnswer> list(ApiCall call) {
    Paging paging = Paging.of(call, sorts().keySet().toArray(String[]::new));
    Optional<String> type = call.word("type", "classic", "consumer", "simple");
    Optional<String> state = call.text("state");
    return listed()
        .thenApply(
            listings -> {
              Map<String, Long> lagByGroup = lags.byGroup();
              List<Row> rows = new ArrayList<>();
              for (Row row : listings) {
                boolean isWanted = type.isEmpty() || type.get().equals(row.type());
                if (isWanted && paging.takes(row.name()) && (state.isEmpty() || state.get().equalsIgnoreCase(row.state()))) {
                  int partitions = facts.groups().offsets().countOf(row.name());
                  long lag = lagByGroup.getOrDefault(row.name(), 0L);
                  rows.add(new Row(row.name(), row.state(), row.type(), row.protocolType(), row.members(), partitions, lag));
                }
              }
              return ApiAnswer.ok(paging.write(new JsonWriter(), rows, sorts(), GroupsApi::write));
            });
  }

  private static void write(JsonWriter out, Row row) {
    out.put("group", row.name())
        .put("state", row.state())
        .put("type", row.type())
        .put("protocol_type", row.protocolType())
        .put("members", row.members())
        .put("partitions", row.partitions())
        .put("lag", row.lag());
  }

  /** Where the coordinator does not say, what is known without it: it may wait for a disk. Then it is not asked again and again. */
  private CompletionStage<List<Row>> listed() {
    CompletableFuture<GroupResult> asked;
    synchronized (this) {
      if (!listing.isDone() && System.nanoTime() - listingNs > PATIENCE.toNanos()) {
        asked = CompletableFuture.failedFuture(new TimeoutException());
      } else {
        asked = ask(new GroupRequest.ListGroups(java.util.Set.of())).toCompletableFuture();
        if (listing.isDone()) {
          listing = asked;
          listingNs = System.nanoTime();
        }
      }
    }
    return asked
        .copy()
        .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (result, failure) -> {
              List<Row> rows = new ArrayList<>();
              if (failure == null && result instanceof GroupResult.GroupsListed listed) {
                listed.groups().forEach(
                    each ->
                        rows.add(
                            new Row(
                                each.group(),
                                each.phase().text(),
                                typeOf(each.type(), each.protocolType()),
                                cut(each.protocolType()),
                                OptionalLong.of(each.memberCount()),
                                0,
                                0)));
              } else {
                facts.groups().offsets().names().forEach(
                    name -> rows.add(new Row(name, UNKNOWN, UNKNOWN, "", OptionalLong.empty(), 0, 0)));
              }
              return rows;
            });
  }

  private static String typeOf(GroupType type, String protocolType) {
    return switch (type) {
      case CONSUMER -> "consumer";
      case CLASSIC -> protocolType.isEmpty() ? "simple" : "classic";
    };
  }

  // ---------------------------------------------------------------- one group

  /** The coordinator's description. @throws ApiError in the future, if there is no such group */
  CompletionStage<GroupResult.Description> described(String group) {
    return ask(new GroupRequest.DescribeGroups(List.of(group)))
        .thenApply(
            result -> {
              GroupResult.Description description = ((GroupResult.GroupsDescribed) result).groups().get(0);
              if (description.phase() == GroupPhase.DEAD) {
                throw ApiError.unknownGroup(group);
              }
              return description;
            });
  }

  CompletionStage<ApiAnswer> one(ApiCall call) {
    Paging paging = Paging.of(call);
    return described(call.group()).thenApply(description -> ApiAnswer.ok(write(description, paging)));
  }

  /** @param committed empty where only a member reads it */
  private record OffsetRow(TopicPartition partition, Optional<StoredOffset> committed, Optional<LogSnapshot> log, Optional<String> member) {
    OptionalLong number() {
      return committed.map(StoredOffset::number).orElse(OptionalLong.empty());
    }

    OptionalLong lag() {
      OptionalLong offset = number();
      return offset.isEmpty() || log.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Math.max(0, log.get().highWatermark() - offset.getAsLong()));
    }
  }

  private JsonWriter write(GroupResult.Description group, Paging paging) {
    List<OffsetRow> rows = rows(group);
    JsonWriter out =
        new JsonWriter()
            .put("group", group.group())
            .put("state", group.phase().text())
            .put("type", typeOf(group.type(), group.protocolType()))
            .put("protocol_type", cut(group.protocolType()))
            .put("generation", group.generation())
            .put("assignor", cut(group.protocol()))
            .put("total_lag", rows.stream().mapToLong(row -> row.lag().orElse(0)).sum())
            .array("members");
    group.members().forEach(member -> write(out, group, member));
    out.endArray();
    return paging.write(out, rows, Map.of("partition", Comparator.comparing(OffsetRow::partition, ORDER)), GroupsApi::write);
  }

  private void write(JsonWriter out, GroupResult.Description group, GroupResult.MemberDescription member) {
    out.object()
        .put("member_id", cut(member.memberId()))
        .put("instance_id", member.instanceId().map(GroupsApi::cut))
        .put("client_id", cut(member.clientId()))
        .put("host", cut(member.clientHost()))
        .array("partitions");
    partitionsOf(member).forEach(
        (topic, numbers) -> {
          out.object().put("topic", cut(topic)).array("partitions");
          numbers.forEach(number -> out.value((long) number));
          out.endArray().end();
        });
    Optional<EpochMember> epoch =
        group.type() == GroupType.CONSUMER ? facts.groups().offsets().member(group.group(), member.memberId()) : Optional.empty();
    out.endArray().put("epoch", epoch.map(each -> OptionalLong.of(each.epoch())).orElseGet(OptionalLong::empty)).end();
  }

  /** None where the bytes are no assignment: members may put into them what they like. */
  private static Map<String, List<Integer>> partitionsOf(GroupResult.MemberDescription member) {
    return ConsumerProtocol.partitions(member.assignment()).orElseGet(TreeMap::new);
  }

  /** Every partition that the group has committed an offset of, or that a member of it reads. */
  private List<OffsetRow> rows(GroupResult.Description group) {
    RoutingTable table = facts.routes().table();
    Map<TopicPartition, String> readers = new HashMap<>();
    for (GroupResult.MemberDescription member : group.members()) {
      partitionsOf(member).forEach(
          (topic, numbers) ->
              numbers.stream().filter(number -> number >= 0).forEach(
                  number -> readers.put(new TopicPartition(topic, number), member.memberId())));
    }
    Map<TopicPartition, OffsetRow> rows = new TreeMap<>(ORDER);
    committed(table, group.group()).forEach(
        (partition, stored) ->
            rows.put(partition, new OffsetRow(partition, Optional.of(stored), logOf(table, partition), Optional.ofNullable(readers.get(partition)))));
    readers.forEach(
        (partition, member) ->
            rows.putIfAbsent(partition, new OffsetRow(partition, Optional.empty(), logOf(table, partition), Optional.of(member))));
    return List.copyOf(rows.values());
  }

  private static Optional<LogSnapshot> logOf(RoutingTable table, TopicPartition partition) {
    return table.find(partition.topic())
        .flatMap(route -> route.partition(partition.partition()))
        .map(PartitionHandle::view)
        .flatMap(view -> view.snapshot());
  }

  /** What the group has committed of topics that there are. */
  Map<TopicPartition, StoredOffset> committed(RoutingTable table, String group) {
    CommittedOffsets offsets = facts.groups().offsets();
    Map<TopicPartition, StoredOffset> named = new TreeMap<>(ORDER);
    for (Map.Entry<TopicIdPartition, StoredOffset> entry : offsets.of(group).entrySet()) {
      Optional<TopicRoute> route = table.find(entry.getKey().topicId());
      route.ifPresent(
          found -> named.put(new TopicPartition(found.topic().name(), entry.getKey().partition()), entry.getValue()));
    }
    return named;
  }

  private static void write(JsonWriter out, OffsetRow row) {
    out.put("topic", cut(row.partition().topic()))
        .put("partition", row.partition().partition())
        .put("committed", row.number())
        .put("end", row.log().map(log -> OptionalLong.of(log.highWatermark())).orElseGet(OptionalLong::empty))
        .put("log_start", row.log().map(log -> OptionalLong.of(log.logStartOffset())).orElseGet(OptionalLong::empty))
        .put("lag", row.lag())
        .put("metadata", cut(row.committed().map(StoredOffset::metadata).orElse("")))
        .put("committed_at", row.committed().map(each -> OptionalLong.of(each.commitMs())).orElseGet(OptionalLong::empty))
        .put("member_id", row.member().map(GroupsApi::cut));
  }

  // ---------------------------------------------------------------- what it has committed

  ApiAnswer offsets(ApiCall call) {
    if (!facts.groups().isReadable()) {
      throw facts.groups().isOpening()
          ? ApiError.unavailable(facts.groups().unreadableReason())
          : ApiError.storage(facts.groups().unreadableReason());
    }
    Optional<String> topic = call.text("topic");
    OptionalLong partition = call.number("partition", 0, Integer.MAX_VALUE);
    Paging paging = Paging.of(call);
    List<Map.Entry<TopicPartition, StoredOffset>> wanted =
        committed(facts.routes().table(), call.group()).entrySet().stream()
            .filter(each -> topic.isEmpty() || topic.get().equals(each.getKey().topic()))
            .filter(each -> partition.isEmpty() || partition.getAsLong() == each.getKey().partition())
            .toList();
    JsonWriter out = new JsonWriter().put("group", call.group());
    return ApiAnswer.ok(
        paging.writePart(
            out,
            wanted.size(),
            paging.part(wanted, Map.of("partition", Map.Entry.comparingByKey(ORDER))),
            (json, each) ->
                json.put("topic", each.getKey().topic())
                    .put("partition", each.getKey().partition())
                    .put("committed", each.getValue().number())
                    .put("metadata", cut(each.getValue().metadata()))
                    .put("committed_at", each.getValue().commitMs())));
  }

  // ---------------------------------------------------------------- the coordinator

  /** What the coordinator answers; refusals are {@link ApiError}s. */
  CompletionStage<GroupResult> ask(GroupRequest request) {
    return ask(request, () -> {});
  }

  /** @param onAnswered called when the coordinator holds the request no more, or never will */
  CompletionStage<GroupResult> ask(GroupRequest request, Runnable onAnswered) {
    ActorRef<GroupCoordinator.Command> coordinator = facts.groups().coordinator();
    if (coordinator == null) { // the broker is starting
      onAnswered.run();
      return CompletableFuture.failedFuture(ApiError.unavailable(facts.groups().unreadableReason()));
    }
    return questions
        .ask(
            coordinator,
            GroupReply.class,
            (ActorRef<GroupReply> replyTo) -> new GroupCoordinator.Ask(request, onAnswered, 0, replyTo))
        .thenApply(
            reply -> {
              if (reply.isEmpty()) {
                onAnswered.run();
                throw ApiError.unavailable("groups cannot be looked up or changed");
              }
              if (reply.get().result() instanceof GroupResult.Refused refused) {
                throw GroupChangesApi.of(refused.reason(), refused.detail());
              }
              return reply.get().result();
            });
  }

  static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
