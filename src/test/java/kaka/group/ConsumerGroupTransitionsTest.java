package kaka.group;

import static kaka.group.Groups.GROUP;
import static kaka.group.Groups.ORDERS;
import static kaka.group.Groups.PAYMENTS;
import static kaka.group.Groups.REBALANCE_MS;
import static kaka.group.Groups.SESSION_MS;
import static kaka.group.Groups.assignment;
import static kaka.group.Groups.commit;
import static kaka.group.Groups.heartbeat;
import static kaka.group.Groups.join;
import static kaka.group.Groups.leave;
import static kaka.group.Groups.nativeJoin;
import static kaka.group.Groups.protocol;
import static kaka.group.Groups.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of {@link GroupPhase}: every event in every state, legal or not. */
class ConsumerGroupTransitionsTest {
  /** Longer than nothing, so that the first join of an empty group can be seen to wait. */
  private static final Duration INITIAL_DELAY = Duration.ofMillis(100);

  private static final List<GroupPhase> STATES =
      List.of(
          GroupPhase.EMPTY,
          GroupPhase.PREPARING_REBALANCE,
          GroupPhase.COMPLETING_REBALANCE,
          GroupPhase.STABLE,
          GroupPhase.DEAD);

  /**
   * What an event answers, and the state it leaves. Two of Kafka's members, the leader and the other; in PREPARING a third has
   * joined, and waits.
   */
  private static final String TABLE =
      """
      event                  | EMPTY                  | PREPARING_REBALANCE                       | COMPLETING_REBALANCE               | STABLE                             | DEAD
      join new               | waits PREPARING        | waits PREPARING                           | waits PREPARING                    | waits PREPARING                    | waits PREPARING
      join leader, changed   | UNKNOWN_MEMBER EMPTY   | waits PREPARING                           | waits PREPARING                    | waits PREPARING                    | UNKNOWN_MEMBER DEAD
      join other, changed    | UNKNOWN_MEMBER EMPTY   | waits PREPARING                           | waits PREPARING                    | waits PREPARING                    | UNKNOWN_MEMBER DEAD
      join leader, unchanged | UNKNOWN_MEMBER EMPTY   | waits PREPARING                           | Joined COMPLETING                  | waits PREPARING                    | UNKNOWN_MEMBER DEAD
      join other, unchanged  | UNKNOWN_MEMBER EMPTY   | waits PREPARING                           | Joined COMPLETING                  | Joined STABLE                      | UNKNOWN_MEMBER DEAD
      join stranger          | UNKNOWN_MEMBER EMPTY   | UNKNOWN_MEMBER PREPARING                  | UNKNOWN_MEMBER COMPLETING          | UNKNOWN_MEMBER STABLE              | UNKNOWN_MEMBER DEAD
      join, other protocol   | waits PREPARING        | INCONSISTENT_PROTOCOL PREPARING           | INCONSISTENT_PROTOCOL COMPLETING   | INCONSISTENT_PROTOCOL STABLE       | waits PREPARING
      join, id wanted first  | MemberIdRequired EMPTY | MemberIdRequired PREPARING                | MemberIdRequired COMPLETING        | MemberIdRequired STABLE            | MemberIdRequired EMPTY
      sync leader            | UNKNOWN_MEMBER EMPTY   | REBALANCE_IN_PROGRESS PREPARING           | Synced STABLE                      | Synced STABLE                      | UNKNOWN_MEMBER DEAD
      sync other             | UNKNOWN_MEMBER EMPTY   | REBALANCE_IN_PROGRESS PREPARING           | waits COMPLETING                   | Synced STABLE                      | UNKNOWN_MEMBER DEAD
      sync stranger          | UNKNOWN_MEMBER EMPTY   | UNKNOWN_MEMBER PREPARING                  | UNKNOWN_MEMBER COMPLETING          | UNKNOWN_MEMBER STABLE              | UNKNOWN_MEMBER DEAD
      sync, old generation   | UNKNOWN_MEMBER EMPTY   | ILLEGAL_GENERATION PREPARING              | ILLEGAL_GENERATION COMPLETING      | ILLEGAL_GENERATION STABLE          | UNKNOWN_MEMBER DEAD
      sync, other protocol   | UNKNOWN_MEMBER EMPTY   | INCONSISTENT_PROTOCOL PREPARING           | INCONSISTENT_PROTOCOL COMPLETING   | INCONSISTENT_PROTOCOL STABLE       | UNKNOWN_MEMBER DEAD
      heartbeat              | UNKNOWN_MEMBER EMPTY   | REBALANCE_IN_PROGRESS PREPARING           | Alive COMPLETING                   | Alive STABLE                       | UNKNOWN_MEMBER DEAD
      heartbeat, stranger    | UNKNOWN_MEMBER EMPTY   | UNKNOWN_MEMBER PREPARING                  | UNKNOWN_MEMBER COMPLETING          | UNKNOWN_MEMBER STABLE              | UNKNOWN_MEMBER DEAD
      heartbeat, old gen.    | UNKNOWN_MEMBER EMPTY   | ILLEGAL_GENERATION PREPARING              | ILLEGAL_GENERATION COMPLETING      | ILLEGAL_GENERATION STABLE          | UNKNOWN_MEMBER DEAD
      leave leader           | UNKNOWN_MEMBER EMPTY   | Left PREPARING                            | Left PREPARING                     | Left PREPARING                     | UNKNOWN_MEMBER DEAD
      leave other            | UNKNOWN_MEMBER EMPTY   | Left PREPARING                            | Left PREPARING                     | Left PREPARING                     | UNKNOWN_MEMBER DEAD
      leave stranger         | UNKNOWN_MEMBER EMPTY   | UNKNOWN_MEMBER PREPARING                  | UNKNOWN_MEMBER COMPLETING          | UNKNOWN_MEMBER STABLE              | UNKNOWN_MEMBER DEAD
      all leave              | UNKNOWN_MEMBER EMPTY   | Left COMPLETING                           | Left EMPTY                         | Left EMPTY                         | UNKNOWN_MEMBER DEAD
      sessions over          | - EMPTY                | - COMPLETING                              | - EMPTY                            | - EMPTY                            | - DEAD
      rebalance deadline     | - EMPTY                | - COMPLETING                              | - EMPTY                            | - STABLE                           | - DEAD
      commit member          | UNKNOWN_MEMBER EMPTY   | Committed PREPARING                       | REBALANCE_IN_PROGRESS COMPLETING   | Committed STABLE                   | UNKNOWN_MEMBER DEAD
      commit, old generation | UNKNOWN_MEMBER EMPTY   | ILLEGAL_GENERATION PREPARING              | ILLEGAL_GENERATION COMPLETING      | ILLEGAL_GENERATION STABLE          | UNKNOWN_MEMBER DEAD
      commit from outside    | Committed EMPTY        | UNKNOWN_MEMBER PREPARING                  | UNKNOWN_MEMBER COMPLETING          | UNKNOWN_MEMBER STABLE              | Committed EMPTY
      delete group           | deleted DEAD           | NOT_EMPTY PREPARING                       | NOT_EMPTY COMPLETING               | NOT_EMPTY STABLE                   | GROUP_NOT_FOUND DEAD
      delete offset, read    | OffsetsDeleted EMPTY   | SUBSCRIBED_TO_TOPIC PREPARING             | SUBSCRIBED_TO_TOPIC COMPLETING     | SUBSCRIBED_TO_TOPIC STABLE         | GROUP_NOT_FOUND DEAD
      delete offset, unread  | OffsetsDeleted EMPTY   | OffsetsDeleted PREPARING                  | OffsetsDeleted COMPLETING          | OffsetsDeleted STABLE              | GROUP_NOT_FOUND DEAD
      topics changed         | - EMPTY                | - PREPARING                               | - COMPLETING                       | - STABLE                           | - DEAD
      """;

  /** A group in one of its states, and the ids that its two members have, or had. */
  private static final class Setting {
    final Groups groups = new Groups(Groups.config(INITIAL_DELAY));
    final GroupPhase state;
    final String leader;
    final String other;
    final int generation;

    Setting(GroupPhase state) {
      this.state = state;
      long first = groups.ask(join(""));
      long second = groups.ask(join(""));
      groups.pass(INITIAL_DELAY.toMillis());
      groups.pass(INITIAL_DELAY.toMillis());
      leader = groups.joined(first).memberId();
      other = groups.joined(second).memberId();
      generation = groups.joined(first).generation();
      switch (state) {
        case EMPTY -> {
          groups.ask(leave(leader));
          groups.ask(leave(other));
        }
        case PREPARING_REBALANCE -> {
          stabilize();
          groups.ask(join(""));
        }
        case STABLE -> stabilize();
        case COMPLETING_REBALANCE -> {}
        case DEAD -> {
          groups.ask(leave(leader));
          groups.ask(leave(other));
          groups.ask(new GroupRequest.DeleteGroups(List.of(GROUP)));
        }
      }
      assertEquals(state, groups.phase());
    }

    private void stabilize() {
      groups.ask(sync(leader, generation, assignment(leader, "L"), assignment(other, "O")));
      groups.ask(sync(other, generation));
    }
  }

  /** Does something to a group; the text is what came of it. */
  private interface Event {
    String in(Setting setting);
  }

  private static Event asking(java.util.function.Function<Setting, GroupRequest> request) {
    return setting -> outcome(setting.groups, setting.groups.ask(request.apply(setting)));
  }

  private static String outcome(Groups groups, long ticket) {
    if (groups.isWaiting(ticket)) {
      return "waits";
    }
    GroupResult result = groups.answer(ticket);
    if (result instanceof GroupResult.Refused refused) {
      return refused.reason().name();
    }
    List<Optional<GroupError>> errors = new ArrayList<>();
    if (result instanceof GroupResult.Left left) {
      left.members().forEach(member -> errors.add(member.error()));
    } else if (result instanceof GroupResult.Committed committed) {
      errors.addAll(committed.errors());
    } else if (result instanceof GroupResult.OffsetsDeleted deleted) {
      errors.addAll(deleted.errors());
    } else if (result instanceof GroupResult.GroupsDeleted deleted) {
      errors.addAll(deleted.errors().values());
    }
    Optional<GroupError> error = errors.stream().flatMap(Optional::stream).findFirst();
    String name = result instanceof GroupResult.GroupsDeleted ? "deleted" : result.getClass().getSimpleName();
    return error.map(GroupError::name).orElse(name);
  }

  private static final Map<String, Event> EVENTS = new HashMap<>();

  static {
    EVENTS.put("join new", asking(s -> join("")));
    EVENTS.put("join leader, changed", asking(s -> join(s.leader, protocol("range", "payments"))));
    EVENTS.put("join other, changed", asking(s -> join(s.other, protocol("range", "payments"))));
    EVENTS.put("join leader, unchanged", asking(s -> join(s.leader)));
    EVENTS.put("join other, unchanged", asking(s -> join(s.other)));
    EVENTS.put("join stranger", asking(s -> join("stranger")));
    EVENTS.put("join, other protocol", asking(s -> join("", protocol("cooperative", "orders"))));
    EVENTS.put("join, id wanted first", asking(s -> idFirst()));
    EVENTS.put("sync leader", asking(s -> sync(s.leader, s.generation)));
    EVENTS.put("sync other", asking(s -> sync(s.other, s.generation)));
    EVENTS.put("sync stranger", asking(s -> sync("stranger", s.generation)));
    EVENTS.put("sync, old generation", asking(s -> sync(s.leader, s.generation - 1)));
    EVENTS.put("sync, other protocol", asking(s -> new GroupRequest.Sync(
        GROUP, s.generation, s.leader, Optional.empty(), Optional.of("consumer"), Optional.of("sticky"), List.of())));
    EVENTS.put("heartbeat", asking(s -> heartbeat(s.other, s.generation)));
    EVENTS.put("heartbeat, stranger", asking(s -> heartbeat("stranger", s.generation)));
    EVENTS.put("heartbeat, old gen.", asking(s -> heartbeat(s.other, s.generation - 1)));
    EVENTS.put("leave leader", asking(s -> leave(s.leader)));
    EVENTS.put("leave other", asking(s -> leave(s.other)));
    EVENTS.put("leave stranger", asking(s -> leave("stranger")));
    EVENTS.put("all leave", asking(s -> new GroupRequest.Leave(GROUP, List.of(
        new GroupRequest.Leaving(s.leader, Optional.empty()), new GroupRequest.Leaving(s.other, Optional.empty())))));
    EVENTS.put("sessions over", passing(SESSION_MS));
    EVENTS.put("rebalance deadline", ConsumerGroupTransitionsTest::rebalanceDeadline);
    EVENTS.put("commit member", asking(s -> commit(s.other, s.generation, 5)));
    EVENTS.put("commit, old generation", asking(s -> commit(s.other, s.generation - 1, 5)));
    EVENTS.put("commit from outside", asking(s -> commit("", -1, 5)));
    EVENTS.put("delete group", asking(s -> new GroupRequest.DeleteGroups(List.of(GROUP))));
    EVENTS.put("delete offset, read", asking(s -> delete("orders", ORDERS)));
    EVENTS.put("delete offset, unread", asking(s -> delete("payments", PAYMENTS)));
    EVENTS.put("topics changed", ConsumerGroupTransitionsTest::topicsChanged);
  }

  private static GroupRequest idFirst() {
    GroupRequest.Join join = join("");
    return new GroupRequest.Join(
        GROUP, "", Optional.empty(), "client", "host", "consumer", join.protocols(), SESSION_MS, REBALANCE_MS, true, false,
        GroupRequest.Assigning.BY_MEMBER);
  }

  private static GroupRequest delete(String topic, UUID id) {
    return new GroupRequest.DeleteOffsets(
        GROUP, List.of(new GroupRequest.NamedPartition(topic, new TopicIdPartition(id, 0))));
  }

  private static Event passing(long ms) {
    return setting -> {
      setting.groups.pass(ms);
      return "-";
    };
  }

  /** The members stay alive meanwhile, as far as they can. */
  private static String rebalanceDeadline(Setting setting) {
    for (long ms = 0; ms < REBALANCE_MS; ms += SESSION_MS / 2) {
      setting.groups.pass(SESSION_MS / 2);
      setting.groups.ask(heartbeat(setting.leader, setting.generation));
      setting.groups.ask(heartbeat(setting.other, setting.generation));
    }
    return "-";
  }

  private static String topicsChanged(Setting setting) {
    Topics more = Groups.topics(Map.of("orders", new Topics.Shape(ORDERS, 8), "payments", new Topics.Shape(PAYMENTS, 2)));
    setting.groups.perform(setting.groups.state.topicsChanged(more, true, setting.groups.nowMs));
    return "-";
  }

  private record Row(String event, GroupPhase state, String expected) {
    @Override
    public String toString() {
      return state + ", " + event;
    }
  }

  static Stream<Row> rows() {
    List<Row> rows = new ArrayList<>();
    TABLE.lines().skip(1).forEach(
        line -> {
          String[] cells = line.split("\\|");
          for (int i = 0; i < STATES.size(); i++) {
            rows.add(new Row(cells[0].trim(), STATES.get(i), cells[i + 1].trim()));
          }
        });
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eventInState(Row row) {
    Setting setting = new Setting(row.state());

    String came = EVENTS.get(row.event()).in(setting);

    assertEquals(row.expected(), came + " " + shortOf(setting.groups.phase()));
  }

  private static String shortOf(GroupPhase phase) {
    return phase.name().replace("_REBALANCE", "");
  }

  @Test
  void everyEventIsInTheTable() {
    assertEquals(EVENTS.keySet(), TABLE.lines().skip(1).map(line -> line.split("\\|")[0].trim()).collect(java.util.stream.Collectors.toSet()));
  }

  /** Where the coordinator assigned, in both states in which an assignment can be out. */
  @Test
  void stableToPreparingRebalanceOnOtherTopicsIfTheCoordinatorAssigned() {
    Groups groups = new Groups();
    long first = groups.ask(nativeJoin("", "range", "orders"));
    assertEquals(GroupPhase.STABLE, groups.phase());
    assertEquals(Map.of("orders", List.of(0, 1, 2, 3)), ConsumerProtocol.partitions(groups.joined(first).assignment()).orElseThrow());

    groups.perform(groups.state.topicsChanged(
        Groups.topics(Map.of("orders", new Topics.Shape(ORDERS, 4), "new", new Topics.Shape(PAYMENTS, 1))), true, groups.nowMs));
    assertEquals(GroupPhase.STABLE, groups.phase(), "not one of its topics");
    groups.perform(groups.state.topicsChanged(Groups.topics(Map.of("orders", new Topics.Shape(ORDERS, 8))), true, groups.nowMs));

    assertEquals(GroupPhase.PREPARING_REBALANCE, groups.phase());
  }
}
