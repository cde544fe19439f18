package kaka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import kaka.connection.RunBuffers;
import kaka.connection.SliceSizes;
import kaka.partition.MemoryBudget;
import org.junit.jupiter.api.Test;

class MadeSlicesTest {
  private static final int SLICE_BYTES = SliceSizes.MAX_BYTES;

  /** Eight. */
  private final RunBuffers buffers = new SliceSizes(new MemoryBudget(512L << 20)).buffers();

  private final List<ByteBuffer> taken = new ArrayList<>(); // so that the collector does not find them

  private void take() {
    taken.add(buffers.tryTake().orElseThrow());
  }

  /** Of a client that does not read: what it reads through, and as many slices as it may have. */
  private MadeSlices stalled() {
    take();
    MadeSlices slices = new MadeSlices(buffers);
    while (slices.count() < MadeSlices.maxCount(SLICE_BYTES)) {
      slices.add(SLICE_BYTES, Long.MAX_VALUE);
    }
    return slices;
  }

  @Test
  void clientsThatDoNotReadLeaveBuffersToOthers() {
    MadeSlices first = stalled();
    assertEquals(3 * RunBuffers.BYTES, first.heldBytes());
    MadeSlices second = stalled();
    assertEquals(RunBuffers.BYTES + 2 * SLICE_BYTES, second.heldBytes());

    assertEquals(6, buffers.takenCount());
    take();
    take();
    assertTrue(buffers.tryTake().isEmpty());

    second.drop();
    first.drop();
    assertEquals(taken.size(), buffers.takenCount());
  }

  @Test
  void smallSlicesAreOnTheHeap() {
    MadeSlices slices = new MadeSlices(buffers);
    ByteBuffer slice = slices.add(SLICE_BYTES - 1, 1000);
    assertFalse(slice.isDirect());
    assertEquals(1000, slice.capacity());
    assertEquals(0, buffers.takenCount());
  }
}
