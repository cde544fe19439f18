package kaka.group;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What a coordinator decides, without its log: a commit of 8 partitions and a heartbeat, with 1000 groups of one member each. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GroupBenchmark {
  private static final UUID ORDERS = new UUID(7, 1);
  private static final int GROUPS = 1000;
  private static final int PARTITIONS = 8;
  private static final long NOW_MS = 1_796_000_000_000L;

  private static final GroupMemory UNLIMITED =
      new GroupMemory() {
        @Override
        public boolean tryReserve(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {}
      };

  private final List<GroupRequest.Heartbeat> heartbeats = new ArrayList<>();
  private final List<GroupResult.Joined> joined = new ArrayList<>();
  private GroupState state;
  private long ticket;
  private long offset;

  @Setup
  public void setUp() {
    GroupConfig config =
        new GroupConfig(
            Duration.ofSeconds(1), Duration.ofMinutes(30), Duration.ZERO, Duration.ofDays(7), 10_000, 50, 4096, 1 << 30, 1 << 20,
            new GroupConfig.Epochs(Duration.ofSeconds(10), Duration.ofSeconds(1)));
    state = new GroupState(config, new CommittedOffsets(), UNLIMITED, UUID::randomUUID, Clock.systemUTC());
    perform(state.opened(Topics.of(Map.of("orders", new Topics.Shape(ORDERS, PARTITIONS))), true, NOW_MS));
    for (int i = 0; i < GROUPS; i++) {
      GroupResult.Joined member = join("group-" + i);
      joined.add(member);
      heartbeats.add(
          new GroupRequest.Heartbeat("group-" + i, member.generation(), member.memberId(), Optional.empty()));
    }
  }

  private GroupResult.Joined join(String group) {
    GroupRequest.Protocol range = new GroupRequest.Protocol("range", ConsumerProtocol.subscription(List.of("orders")));
    GroupRequest.Join join =
        new GroupRequest.Join(
            group, "", Optional.empty(), "client", "/127.0.0.1", "consumer", List.of(range), 10_000, 60_000, false, false,
            GroupRequest.Assigning.BY_COORDINATOR);
    Decision decision = state.handle(++ticket, join, NOW_MS);
    perform(decision);
    List<Decision.Answer> answers = new ArrayList<>(decision.answers());
    while (answers.isEmpty()) {
      Decision due = state.expire(state.nextDeadlineMs().orElseThrow());
      perform(due);
      answers.addAll(due.answers());
    }
    return (GroupResult.Joined) answers.get(0).result();
  }

  private Decision perform(Decision decision) {
    for (GroupEvent event : decision.events()) {
      state.apply(event);
      state.settle(event);
    }
    return decision;
  }

  @Benchmark
  public Decision heartbeat() {
    int group = (int) (++ticket % GROUPS);
    return perform(state.handle(ticket, heartbeats.get(group), NOW_MS));
  }

  @Benchmark
  public Decision commit() {
    int group = (int) (++ticket % GROUPS);
    List<GroupRequest.OffsetToCommit> offsets = new ArrayList<>(PARTITIONS);
    offset++;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      offsets.add(new GroupRequest.OffsetToCommit(new TopicIdPartition(ORDERS, partition), offset, -1, ""));
    }
    GroupResult.Joined member = joined.get(group);
    GroupRequest.Commit commit =
        new GroupRequest.Commit(
            "group-" + group, OptionalInt.of(member.generation()), member.memberId(), Optional.empty(), offsets);
    return perform(state.handle(ticket, commit, NOW_MS));
  }
}
