package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.partition.MemoryBudget;
import org.junit.jupiter.api.Test;

class AnswerMemoryTest {
  private static final int MIB = 1 << 20;
  private static final int LARGE = 256 << 10;
  private static final int SMALL = 4 << 10;

  /** Reads through a window as large as its slices, which it holds until it is trimmed. */
  private static final class Answer implements SlicedAnswer {
    long made;
    long window;
    long left = Long.MAX_VALUE;

    @Override
    public Optional<ByteBuffer> next(int sliceBytes) {
      return Optional.of(ByteBuffer.allocate((int) Math.min(left, sliceBytes)));
    }

    @Override
    public boolean isExhausted() {
      return left == 0;
    }

    @Override
    public boolean isWorth(long leastBytes) {
      return left >= leastBytes;
    }

    @Override
    public long madeBytes() {
      return made;
    }

    @Override
    public long windowBytes() {
      return window;
    }

    @Override
    public long taskBytes(int sliceBytes) {
      return made + Math.max(window, sliceBytes) + sliceBytes;
    }

    @Override
    public long leftBytes() {
      return left;
    }

    @Override
    public void trim() {
      window = 0;
    }
  }

  private final MemoryBudget budget = new MemoryBudget(200 * MIB);
  private final SliceSizes sizes = new SliceSizes(budget);

  @Test
  void oneAnswerHasLargeSlicesAndHoldsWhatItSaysItHolds() {
    AnswerMemory memory = new AnswerMemory(sizes);
    Answer answer = new Answer();
    assertTrue(memory.begin());

    assertEquals(LARGE, memory.nextSlice(answer, 0));
    assertEquals(2 * LARGE, budget.usedBytes(), "a window and a slice, while it is made");
    answer.window = LARGE;
    memory.settle(answer, LARGE);
    assertEquals(LARGE, memory.nextSlice(answer, LARGE));
    assertEquals(3 * LARGE, budget.usedBytes(), "and the one before");
    answer.trim();
    memory.settle(answer, LARGE);
    assertEquals(LARGE, budget.usedBytes());

    memory.end();
    assertEquals(0, budget.usedBytes());
  }

  @Test
  void aSliceIsNoLargerThanWhatIsLeft() {
    AnswerMemory memory = new AnswerMemory(sizes);
    Answer answer = new Answer();
    memory.begin();

    answer.left = 70_000;
    assertEquals(70_000, memory.nextSlice(answer, 0));
    answer.left = 7;
    assertEquals(SMALL, memory.nextSlice(answer, 0));
  }

  /** 25 MiB are shared: by a hundred, a quarter of one each; and when they have gone, the next has large ones again. */
  @Test
  void theMoreAnswersTheSmallerTheirSlices() {
    List<AnswerMemory> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(new AnswerMemory(sizes));
      assertTrue(all.get(i).begin());
      assertEquals(Math.min(LARGE, 25 * MIB / (i + 1)), sizes.sliceBytes(), (i + 1) + " answers");
    }
    all.forEach(AnswerMemory::end);

    assertEquals(LARGE, sizes.sliceBytes());
    assertEquals(0, budget.usedBytes());
  }

  @Test
  void theLessIsFreeTheSmallerTheSlices() {
    assertFalse(sizes.isScarce());
    budget.tryReserve(110 * MIB);
    assertTrue(sizes.isScarce());
    assertEquals(40 * MIB / 512, sizes.sliceBytes());
    budget.tryReserve(40 * MIB);
    assertEquals(SMALL, sizes.sliceBytes(), "the last quarter is for those who have not begun");
  }

  /** However many there are, half of the budget is for what is produced. */
  @Test
  void answersThatHaveBegunTakeHalfOfTheBudgetAtMost() {
    MemoryBudget small = new MemoryBudget(MIB);
    SliceSizes ofSmall = new SliceSizes(small);
    List<AnswerMemory> begun = new ArrayList<>();
    for (int i = 0; i < MIB / 2 / (2 * SMALL); i++) {
      begun.add(new AnswerMemory(ofSmall));
      assertTrue(begun.get(i).begin(), "answer " + i);
    }
    AnswerMemory late = new AnswerMemory(ofSmall);

    assertFalse(late.begin());
    assertEquals(MIB / 2, small.usedBytes());
    late.end();
    begun.get(0).end();
    assertTrue(late.begin(), "there is a place again");
    assertFalse(begun.get(0).begin());
    late.end();
    begun.forEach(AnswerMemory::end);
    assertEquals(0, small.usedBytes());
  }

  /** However much others take meanwhile. */
  @Test
  void anAnswerThatHasBegunComesToItsEnd() {
    AnswerMemory memory = new AnswerMemory(sizes);
    Answer answer = new Answer();
    assertTrue(memory.begin());
    budget.tryReserve(budget.maxBytes() - budget.usedBytes());

    for (int i = 0; i < 100; i++) {
      assertEquals(SMALL, memory.nextSlice(answer, 0));
      answer.window = SMALL;
      memory.settle(answer, SMALL);
      assertEquals(0, answer.window, "what can be read again is let go");
      assertEquals(0, memory.nextSlice(answer, SMALL), "the next waits until this one is with the kernel");
    }

    assertEquals(budget.maxBytes(), budget.usedBytes());
    memory.end();
    assertEquals(budget.maxBytes() - 2 * SMALL, budget.usedBytes());
  }

  /** Slices that are made and not given stay charged, and the smallest next one beside them. */
  @Test
  void whatIsMadeAlreadyStaysCharged() {
    AnswerMemory memory = new AnswerMemory(sizes);
    Answer answer = new Answer();
    memory.begin();
    memory.nextSlice(answer, 0);
    answer.made = LARGE;
    memory.settle(answer, 0);
    assertEquals(LARGE + 2 * SMALL, budget.usedBytes());
    budget.tryReserve(budget.maxBytes() - budget.usedBytes());

    assertEquals(SMALL, memory.nextSlice(answer, 0));
    memory.end();
    assertEquals(budget.maxBytes() - LARGE - 2 * SMALL, budget.usedBytes());
  }

  @Test
  void withoutRoomNothingBeginsAndNothingIsKept() {
    budget.tryReserve(budget.maxBytes() - 2 * SMALL + 1);
    AnswerMemory memory = new AnswerMemory(sizes);

    assertFalse(memory.begin());
    memory.end();
    budget.release(1);
    assertTrue(memory.begin());
    assertTrue(memory.begin(), "it has");
    memory.end();

    assertEquals(budget.maxBytes() - 2 * SMALL, budget.usedBytes());
  }
}
