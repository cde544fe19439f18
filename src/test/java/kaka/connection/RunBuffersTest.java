package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunBuffersTest {
  private static final int MIB = 1 << 20;

  private final RunBuffers buffers = new RunBuffers(1L << 30);

  @Test
  void whatIsGivenBackIsTakenAgainClear() {
    ByteBuffer buffer = buffers.take(MIB);
    assertTrue(buffer.isDirect());
    assertNotSame(buffer, buffers.take(MIB), "it is not free yet");
    buffers.giveBack(buffer.limit(MIB / 2).position(17));
    ByteBuffer again = buffers.take(MIB);
    assertSame(buffer, again);
    assertEquals(MIB, again.remaining());
    assertNotSame(buffer, buffers.take(MIB));
  }

  @Test
  void lastGivenBackIsTheNextToBeTaken() {
    ByteBuffer first = buffers.take(MIB);
    ByteBuffer second = buffers.take(MIB);
    buffers.giveBack(first);
    buffers.giveBack(second);
    assertSame(second, buffers.take(MIB));
    assertSame(first, buffers.take(MIB));
  }

  @Test
  void onlyThoseOfJustAMiBAreKept() {
    for (int bytes : new int[] {0, MIB - 1, MIB + 1}) {
      ByteBuffer buffer = buffers.take(bytes);
      assertEquals(bytes, buffer.capacity());
      assertFalse(buffer.isDirect());
      buffers.giveBack(buffer);
    }
    assertEquals(0, buffers.freeCount());
  }

  @Test
  void soManyAreMadeAsTheBudgetAllowsAndArraysBeyond() {
    assertEquals(0, madeOf(64L * MIB - 1));
    assertEquals(1, madeOf(64L * MIB));
    assertEquals(7, madeOf(511L * MIB));
    assertEquals(8, madeOf(1L << 40));
  }

  @Test
  void spareOnesAreNotOfTheLastQuarter() {
    RunBuffers seven = new RunBuffers(511L << 20);
    List<ByteBuffer> taken = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      taken.add(seven.tryTakeSpare().orElseThrow());
    }
    assertTrue(seven.tryTakeSpare().isEmpty());
    taken.add(seven.tryTake().orElseThrow());
    seven.giveBack(taken.remove(0));
    assertTrue(seven.tryTakeSpare().isEmpty());
    seven.giveBack(taken.remove(0));
    assertTrue(seven.tryTakeSpare().isPresent());
    RunBuffers one = new RunBuffers(64L << 20);
    assertTrue(one.tryTakeSpare().isPresent());
    assertTrue(one.tryTakeSpare().isEmpty());
  }

  @Test
  void bufferOfAnotherSizeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> buffers.giveBack(ByteBuffer.allocateDirect(MIB - 1)));
    assertEquals(0, buffers.freeCount());
  }

  private static int madeOf(long memoryBytes) {
    RunBuffers buffers = new RunBuffers(memoryBytes);
    List<ByteBuffer> taken = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      taken.add(buffers.take(MIB));
    }
    taken.forEach(buffers::giveBack);
    assertEquals(taken.stream().filter(ByteBuffer::isDirect).count(), buffers.freeCount());
    return buffers.freeCount();
  }
}
