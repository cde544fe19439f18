package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import kaka.partition.MemoryBudget;
import kaka.record.Allowance;
import org.junit.jupiter.api.Test;

/** Checks on threads that run when the test says so. */
class PendingCheckTest {
  private static final int CHARGED_BYTES = 1000;
  private static final int MAX_UNPACKED_BYTES = 64 << 20;
  private static final int BRIEF = CheckThreads.BRIEF_BYTES;

  /** One thread's worth: what it is given waits until it is run. */
  private static final class Hand implements Executor {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      waiting.add(task);
    }

    void runOne() {
      waiting.remove().run();
    }
  }

  /** So many batches, each with its work; what it is told meanwhile. */
  private static class Batches implements BatchCheck<String> {
    private final int[] workBytes;
    private int next;

    Batches(int... workBytes) {
      this.workBytes = workBytes;
    }

    @Override
    public boolean next(Allowance allowance) {
      allowance.reserve(100);
      try {
        for (int done = 0; done < workBytes[next]; done += 1 << 20) {
          allowance.worked(Math.min(1 << 20, workBytes[next] - done));
        }
      } finally {
        allowance.release(100);
      }
      next++;
      return next < workBytes.length;
    }

    @Override
    public String result(Allowance allowance) {
      return next + " checked";
    }
  }

  private final Hand brief = new Hand();
  private final Hand lengthy = new Hand();
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final List<PendingCheck<String>> done = new ArrayList<>();
  private final List<String> taken = new ArrayList<>();

  private PendingCheck<String> pending(BatchCheck<String> check) {
    assertTrue(memory.tryReserve(CHARGED_BYTES));
    Consumer<PendingCheck<String>> whenDone = done::add;
    return new PendingCheck<>(check, CHARGED_BYTES, memory, MAX_UNPACKED_BYTES, new CheckThreads(brief, lengthy), whenDone);
  }

  private PendingCheck<String> started(BatchCheck<String> check) {
    PendingCheck<String> pending = pending(check);
    pending.start(false);
    return pending;
  }

  private void take(PendingCheck<String> pending) {
    pending.take(
        (result, chargedBytes) -> {
          taken.add(result);
          memory.release(chargedBytes);
        });
  }

  @Test
  void resultIsTakenWithItsCharge() {
    PendingCheck<String> pending = started(new Batches(100, 100));
    assertEquals(List.of(), done);

    brief.runOne();
    assertSame(pending, done.get(0));
    assertEquals(CHARGED_BYTES, memory.usedBytes());
    take(pending);

    assertEquals(List.of("2 checked"), taken);
    assertEquals(200, pending.workedBytes());
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void leftWhileItWaitsItIsGivenBackAtOnceAndDoesNotRun() {
    PendingCheck<String> pending =
        started(
            new Batches(100) {
              @Override
              public boolean next(Allowance allowance) {
                throw new AssertionError("of a connection that has ended");
              }
            });

    pending.leave();
    assertEquals(0, memory.usedBytes());

    brief.runOne();
    assertEquals(List.of(), done);
    assertEquals(0, memory.usedBytes());
  }

  /** In its queue, where it may be behind others for long, it keeps nothing of its connection: that is not charged any more. */
  @Test
  void leftWhileItWaitsItKeepsNothingOfItsConnection() {
    WeakReference<Object> ofConnection = leftWhileItWaits();
    assertEquals(1, brief.waiting.size());

    System.gc();

    assertNull(ofConnection.get());
  }

  private WeakReference<Object> leftWhileItWaits() {
    Object ofConnection = new Object();
    assertTrue(memory.tryReserve(CHARGED_BYTES));
    PendingCheck<String> pending =
        new PendingCheck<>(
            new Batches(100), CHARGED_BYTES, memory, MAX_UNPACKED_BYTES, new CheckThreads(brief, lengthy), done -> taken.add("" + ofConnection));
    pending.start(false);
    pending.leave();
    return new WeakReference<>(ofConnection);
  }

  /** Its memory is in use until it is broken off, at the next of its pieces. */
  @Test
  void leftWhileItRunsItIsGivenBackWhenItEnds() {
    List<Long> usedBytes = new ArrayList<>();
    PendingCheck<?>[] self = new PendingCheck<?>[1];
    self[0] =
        started(
            new Batches(100, 100) {
              @Override
              public boolean next(Allowance allowance) {
                self[0].leave();
                usedBytes.add(memory.usedBytes());
                boolean more = super.next(allowance);
                usedBytes.add(-1L); // goes on for a connection that has ended
                return more;
              }
            });

    brief.runOne();

    assertEquals(List.of((long) CHARGED_BYTES), usedBytes);
    assertEquals(List.of(), done);
    assertEquals(0, memory.usedBytes());
    assertEquals(0, brief.waiting.size() + lengthy.waiting.size());
  }

  /** The same, where the check does not look: what comes of it is nobody's. */
  @Test
  void leftInItsLastStepItIsGivenBackToo() {
    PendingCheck<?>[] self = new PendingCheck<?>[1];
    self[0] =
        started(
            new Batches(100) {
              @Override
              public String result(Allowance allowance) {
                self[0].leave();
                assertEquals(CHARGED_BYTES, memory.usedBytes());
                return super.result(allowance);
              }
            });

    brief.runOne();

    assertEquals(List.of(), done);
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void leftWhenItIsDoneAndNotTakenItIsGivenBack() {
    PendingCheck<String> pending = started(new Batches(100));
    brief.runOne();

    pending.leave();

    assertEquals(0, memory.usedBytes());
    assertThrows(IllegalStateException.class, () -> take(pending));
    assertEquals(List.of(), taken);
    assertEquals(0, memory.usedBytes());
  }

  /** Makes something of its own, of 300 bytes. */
  private static class Keeping extends Batches {
    Keeping(int... workBytes) {
      super(workBytes);
    }

    @Override
    public String result(Allowance allowance) {
      allowance.reserve(400);
      allowance.release(100);
      return super.result(allowance);
    }
  }

  @Test
  void whatACheckKeepsGoesWithItsResult() {
    PendingCheck<String> pending = started(new Keeping(100, 3 * BRIEF));
    brief.runOne();
    lengthy.runOne();
    assertEquals(CHARGED_BYTES + 300, memory.usedBytes());

    take(pending);

    assertEquals(0, memory.usedBytes());
  }

  @Test
  void whatACheckKeepsIsGivenBackIfItIsLeft() {
    PendingCheck<String> left = started(new Keeping(100));
    brief.runOne();
    left.leave();
    assertEquals(0, memory.usedBytes());

    PendingCheck<?>[] leftRunning = new PendingCheck<?>[1];
    leftRunning[0] =
        started(
            new Keeping(100) {
              @Override
              public String result(Allowance allowance) {
                leftRunning[0].leave();
                return super.result(allowance);
              }
            });
    brief.runOne();
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void whatACheckHeldWhenItThrewIsGivenBack() {
    AssertionError bug = new AssertionError("of a test's check");
    PendingCheck<String> pending =
        started(
            new Keeping(100) {
              @Override
              public String result(Allowance allowance) {
                super.result(allowance);
                throw bug;
              }
            });
    brief.runOne();

    assertThrows(IllegalStateException.class, () -> take(pending));

    assertEquals(0, memory.usedBytes());
  }

  private PendingCheck<String> startedThrowing(Error error) {
    return started(
        new Batches(100) {
          @Override
          public boolean next(Allowance allowance) {
            throw error;
          }
        });
  }

  @Test
  void bugIsThrownWhereItsConnectionIsToldOfIt() {
    AssertionError bug = new AssertionError("of a test's check");
    PendingCheck<String> pending = startedThrowing(bug);

    brief.runOne();

    IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> take(pending));
    assertSame(bug, thrown.getCause());
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void whatTheJvmCannotSurviveIsThrownOn() {
    OutOfMemoryError fatal = new OutOfMemoryError("of a test's check");
    PendingCheck<String> pending = startedThrowing(fatal);

    brief.runOne();

    assertSame(fatal, assertThrows(OutOfMemoryError.class, () -> take(pending)));
    assertEquals(0, memory.usedBytes());
  }

  // ---------------------------------------------------------------- long ones

  /** A brief one that is none is broken off with next to nothing done beyond, and its batch begins anew among the long ones. */
  @Test
  void whatTakesLongKeepsNoBriefThread() {
    List<String> began = new ArrayList<>();
    PendingCheck<String> pending =
        started(
            new Batches(100, 3 * BRIEF) {
              @Override
              public boolean next(Allowance allowance) {
                began.add(allowance.maxUnpackedBytes() + " " + memory.usedBytes());
                return super.next(allowance);
              }
            });

    brief.runOne();
    assertEquals(List.of(), done);
    assertEquals(0, brief.waiting.size());
    assertEquals(CHARGED_BYTES, memory.usedBytes(), "of what it held to decompress nothing is left");
    lengthy.runOne();

    String each = MAX_UNPACKED_BYTES + " " + CHARGED_BYTES;
    assertEquals(List.of(each, each, each), began);
    take(pending);
    assertEquals(List.of("2 checked"), taken);
    assertTrue(pending.workedBytes() > BRIEF);
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void longOnesTakeTurns() {
    PendingCheck<String> large = pending(new Batches(2 * BRIEF, 2 * BRIEF, 2 * BRIEF));
    large.start(true);
    PendingCheck<String> other = pending(new Batches(100));
    other.start(true);

    lengthy.runOne();
    lengthy.runOne();
    lengthy.runOne();
    assertEquals(List.of(other), done, "the first has had its turn, and waits for the next");
    lengthy.runOne();

    assertEquals(List.of(other, large), done);
    assertEquals(0, brief.waiting.size());
    take(large);
    take(other);
    assertEquals(6L * BRIEF, large.workedBytes());
    assertEquals(100, other.workedBytes());
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void leftBetweenItsTurnsItIsGivenBack() {
    PendingCheck<String> pending = pending(new Batches(2 * BRIEF, 2 * BRIEF));
    pending.start(true);
    lengthy.runOne();
    assertEquals(1, lengthy.waiting.size());

    pending.leave();
    assertEquals(0, memory.usedBytes());

    lengthy.runOne();
    assertEquals(List.of(), done);
    assertEquals(0, memory.usedBytes() + lengthy.waiting.size());
  }
}
