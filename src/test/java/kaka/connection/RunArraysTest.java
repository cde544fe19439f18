package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class RunArraysTest {
  private static final int MIB = 1 << 20;

  @Test
  void whatIsGivenBackIsTakenAgain() {
    RunArrays arrays = new RunArrays(1L << 30);
    byte[] array = arrays.take(MIB);
    assertNotSame(array, arrays.take(MIB), "it is not free yet");
    arrays.giveBack(array);
    assertSame(array, arrays.take(MIB));
    assertNotSame(array, arrays.take(MIB));
  }

  @Test
  void onlyThoseOfJustAMiBAreKept() {
    RunArrays arrays = new RunArrays(1L << 30);
    for (int bytes : new int[] {0, MIB - 1, MIB + 1}) {
      byte[] array = arrays.take(bytes);
      assertEquals(bytes, array.length);
      arrays.giveBack(array);
    }
    assertEquals(0, arrays.freeCount());
  }

  @Test
  void soManyAreKeptAsTheBudgetAllows() {
    assertEquals(0, kept(64L * MIB - 1));
    assertEquals(1, kept(64L * MIB));
    assertEquals(7, kept(511L * MIB));
    assertEquals(8, kept(1L << 40));
  }

  private static int kept(long memoryBytes) {
    RunArrays arrays = new RunArrays(memoryBytes);
    for (int i = 0; i < 20; i++) {
      arrays.giveBack(new byte[MIB]);
    }
    return arrays.freeCount();
  }
}
