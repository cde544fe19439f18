package kaka.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import kaka.TestClock;

/**
 * All groups of a broker without a broker: time goes on when told, by both clocks, and what is decided is applied at once, or when
 * told.
 */
final class Groups {
  static final String GROUP = "g";
  static final UUID ORDERS = new UUID(7, 1);
  static final UUID PAYMENTS = new UUID(7, 2);
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 60_000;
  static final GroupConfig.Epochs EPOCHS = new GroupConfig.Epochs(Duration.ofMillis(SESSION_MS), Duration.ofSeconds(1));

  final CommittedOffsets stored = new CommittedOffsets();
  final Map<Long, GroupResult> answers = new HashMap<>();
  final List<GroupEvent> written = new ArrayList<>();
  final GroupState state;
  final TestClock timeOfDay = new TestClock(1_700_000_000_000L);
  long nowMs = 1_000_000;
  long heldBytes;
  private long ticket;
  private int ids;

  Groups() {
    this(config(Duration.ZERO));
  }

  Groups(GroupConfig config) {
    GroupMemory memory =
        new GroupMemory() {
          @Override
          public boolean tryReserve(long bytes) {
            heldBytes += bytes;
            return true;
          }

          @Override
          public void release(long bytes) {
            heldBytes -= bytes;
          }
        };
    state = new GroupState(config, stored, memory, () -> new UUID(0, ++ids), timeOfDay);
    perform(state.opened(topics(Map.of("orders", new Topics.Shape(ORDERS, 4), "payments", new Topics.Shape(PAYMENTS, 2))), true, nowMs));
  }

  static Topics topics(Map<String, Topics.Shape> topics) {
    return Topics.of(topics);
  }

  static GroupConfig config(Duration initialDelay) {
    return new GroupConfig(
        Duration.ofSeconds(1), Duration.ofMinutes(30), initialDelay, Duration.ofDays(7), 100, 50, 4096, 10 << 20, 1 << 20, EPOCHS);
  }

  /** Writes and applies, then answers. */
  void perform(Decision decision) {
    for (GroupEvent event : decision.events()) {
      written.add(event);
      state.apply(event);
      state.settle(event);
    }
    decision.answers().forEach(answer -> answers.put(answer.ticket(), answer.result()));
  }

  /** @return the ticket */
  long ask(GroupRequest request) {
    perform(state.handle(++ticket, request, nowMs));
    return ticket;
  }

  /** Of a request that is answered at once. */
  GroupResult get(GroupRequest request) {
    return answer(ask(request));
  }

  GroupResult answer(long ticket) {
    GroupResult result = answers.get(ticket);
    if (result == null) {
      throw new AssertionError("not answered");
    }
    return result;
  }

  boolean isWaiting(long ticket) {
    return !answers.containsKey(ticket);
  }

  Object errorOf(long ticket) {
    return answers.get(ticket) instanceof GroupResult.Refused refused ? refused.reason() : answers.get(ticket);
  }

  Object errorOf(GroupRequest request) {
    return errorOf(ask(request));
  }

  GroupResult.Joined joined(long ticket) {
    return (GroupResult.Joined) answer(ticket);
  }

  /** Time goes on, deadline by deadline. */
  void pass(long ms) {
    long end = nowMs + ms;
    while (state.nextDeadlineMs().isPresent() && state.nextDeadlineMs().getAsLong() <= end) {
      passUnseen(Math.max(0, state.nextDeadlineMs().getAsLong() - nowMs));
      perform(state.expire(nowMs));
    }
    passUnseen(end - nowMs);
  }

  /** Time goes on, and nobody looks at deadlines meanwhile. */
  void passUnseen(long ms) {
    nowMs += ms;
    timeOfDay.advance(Duration.ofMillis(ms));
  }

  GroupPhase phase() {
    return describe().phase();
  }

  GroupResult.Description describe() {
    GroupResult result = get(new GroupRequest.DescribeGroups(List.of(GROUP)));
    return ((GroupResult.GroupsDescribed) result).groups().get(0);
  }

  Set<String> memberIds() {
    return new java.util.TreeSet<>(describe().members().stream().map(GroupResult.MemberDescription::memberId).toList());
  }

  // ---------------------------------------------------------------- requests in few words

  static GroupRequest.Protocol protocol(String name, String... topics) {
    return new GroupRequest.Protocol(name, ConsumerProtocol.subscription(List.of(topics)));
  }

  /** Of one of Kafka's clients, which assigns by itself when it leads. */
  static GroupRequest.Join join(String memberId, GroupRequest.Protocol... protocols) {
    return join(memberId, Optional.empty(), GroupRequest.Assigning.BY_MEMBER, protocols);
  }

  static GroupRequest.Join join(
      String memberId, Optional<String> instance, GroupRequest.Assigning assigning, GroupRequest.Protocol... protocols) {
    return new GroupRequest.Join(
        GROUP,
        memberId,
        instance,
        "client",
        "/127.0.0.1",
        "consumer",
        List.of(protocols),
        SESSION_MS,
        REBALANCE_MS,
        false,
        false,
        assigning);
  }

  static GroupRequest.Join join(String memberId) {
    return join(memberId, protocol("range", "orders"));
  }

  static GroupRequest.Join nativeJoin(String memberId, String protocol, String... topics) {
    return join(memberId, Optional.empty(), GroupRequest.Assigning.BY_COORDINATOR, protocol(protocol, topics));
  }

  static GroupRequest.Sync sync(String memberId, int generation, GroupRequest.Assignment... assignments) {
    return new GroupRequest.Sync(
        GROUP, generation, memberId, Optional.empty(), Optional.empty(), Optional.empty(), List.of(assignments));
  }

  static GroupRequest.Heartbeat heartbeat(String memberId, int generation) {
    return new GroupRequest.Heartbeat(GROUP, generation, memberId, Optional.empty());
  }

  static GroupRequest.Leave leave(String memberId) {
    return new GroupRequest.Leave(GROUP, List.of(new GroupRequest.Leaving(memberId, Optional.empty())));
  }

  static GroupRequest.Commit commit(String memberId, int generation, long offset) {
    OptionalInt in = generation < 0 ? OptionalInt.empty() : OptionalInt.of(generation);
    return new GroupRequest.Commit(GROUP, in, memberId, Optional.empty(), List.of(offset(ORDERS, 0, offset)));
  }

  static GroupRequest.OffsetToCommit offset(UUID topic, int partition, long offset) {
    return new GroupRequest.OffsetToCommit(new TopicIdPartition(topic, partition), offset, -1, "");
  }

  static GroupRequest.Assignment assignment(String memberId, String text) {
    return new GroupRequest.Assignment(memberId, Opaque.of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }
}
