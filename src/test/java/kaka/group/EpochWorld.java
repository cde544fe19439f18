package kaka.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import kaka.TestClock;
import kaka.log.LiveEvents;
import kaka.record.Record;

/** The coordinator of one group without its actor: a disk that takes what is decided when told, that fails, and restarts from it. */
final class EpochWorld {
  private final Random random;
  private final GroupEventCodec codec = new GroupEventCodec();
  private final List<Record> disk = new ArrayList<>();
  private final List<Decision> pending = new ArrayList<>();
  private final Map<Long, Consumer<Optional<GroupResult>>> waiting = new HashMap<>();
  private Topics topics;
  private CommittedOffsets stored;
  private GroupState state;
  private boolean isBroken;
  private long nowMs = 1_000_000;
  private long ticket;
  private long heldBytes;
  private int knownEpoch;

  EpochWorld(Random random, Topics topics) {
    this.random = random;
    this.topics = topics;
    open();
  }

  long nowMs() {
    return nowMs;
  }

  private void open() {
    stored = new CommittedOffsets();
    heldBytes = 0;
    isBroken = false;
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
    state = new GroupState(Groups.config(Duration.ZERO), stored, memory, () -> new UUID(0, ++ticket), new TestClock(1_700_000_000_000L));
    for (Record record : disk) {
      try {
        state.apply(codec.parse(record));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    perform(state.opened(topics, true, nowMs));
    flush();
    assertTrue(describe().epoch() >= knownEpoch, "epoch " + describe().epoch() + " after " + knownEpoch);
  }

  /** @param onAnswer called with nothing if there will be none */
  void ask(GroupRequest request, Consumer<Optional<GroupResult>> onAnswer) {
    waiting.put(++ticket, onAnswer);
    perform(state.handle(ticket, request, nowMs));
  }

  /** As the actor does. */
  private void perform(Decision decision) {
    if (!decision.events().isEmpty() && isBroken) {
      drop(decision);
    } else if (!decision.events().isEmpty() || decision.isInOrder() && !pending.isEmpty()) {
      pending.add(decision);
    } else {
      answer(decision);
    }
  }

  private void answer(Decision decision) {
    for (Decision.Answer answer : decision.answers()) {
      if (answer.result() instanceof GroupResult.Beaten beaten) {
        knownEpoch = Math.max(knownEpoch, beaten.epoch());
      }
      waiting.remove(answer.ticket()).accept(Optional.of(answer.result()));
    }
  }

  private void drop(Decision decision) {
    decision.events().forEach(state::settle);
    state.revert(decision, nowMs);
    decision.answers().forEach(each -> waiting.remove(each.ticket()).accept(Optional.of(new GroupResult.Refused(GroupError.STORAGE))));
  }

  void flush() {
    List<Decision> flushed = List.copyOf(pending);
    pending.clear();
    for (Decision decision : flushed) {
      decision.events().forEach(this::write);
    }
    for (Decision decision : flushed) {
      for (GroupEvent event : decision.events()) {
        state.apply(event);
        state.settle(event);
      }
      answer(decision);
    }
  }

  private void write(GroupEvent event) {
    disk.add(new Record(0, nowMs, codec.key(event), codec.value(event), List.of()));
  }

  /** Some of what was to be written is on the disk, as nobody knows. */
  private void writePart() {
    List<GroupEvent> events = new ArrayList<>();
    pending.forEach(decision -> events.addAll(decision.events()));
    events.subList(0, random.nextInt(events.size() + 1)).forEach(this::write);
  }

  void failDisk() {
    if (!isBroken) {
      isBroken = true;
      writePart();
      List<Decision> lost = List.copyOf(pending);
      pending.clear();
      lost.forEach(this::drop);
    }
  }

  void kill() {
    writePart();
    pending.clear();
    List<Consumer<Optional<GroupResult>>> lost = List.copyOf(waiting.values());
    waiting.clear();
    open();
    lost.forEach(each -> each.accept(Optional.empty()));
  }

  void changeTopics(Topics now) {
    topics = now;
    perform(state.topicsChanged(now, true, nowMs));
  }

  void pass(long ms) {
    nowMs += ms;
    perform(state.expire(nowMs));
  }

  GroupResult.EpochDescription describe() {
    List<GroupResult> answers = new ArrayList<>();
    long own = ++ticket;
    Decision decision = state.handle(own, new GroupRequest.DescribeEpochGroups(List.of(Groups.GROUP)), nowMs);
    decision.answers().forEach(answer -> answers.add(answer.result()));
    return ((GroupResult.EpochGroupsDescribed) answers.get(0)).groups().get(0);
  }

  void deleteGroup() {
    perform(state.handle(++ticket, new GroupRequest.DeleteGroups(List.of(Groups.GROUP)), nowMs), ignored -> {});
    flush();
  }

  private void perform(Decision decision, Consumer<Optional<GroupResult>> onAnswer) {
    waiting.put(ticket, onAnswer);
    perform(decision);
  }

  int writtenCount() {
    return disk.size();
  }

  /** What a compacted log has. */
  int liveEventCount() {
    int count = 0;
    LiveEvents.Walk<GroupEvent> walk = stored.walk();
    while (walk.next().isPresent()) {
      count++;
    }
    return count;
  }

  long heldBytes() {
    return heldBytes;
  }
}
