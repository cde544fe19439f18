package kaka.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import kaka.connection.RunBuffers;
import kaka.connection.SliceSizes;

/**
 * Slices of one answer, the first the next to be sent, each filled from its start on. Where memory is plenty they are outside the heap as long as
 * there are {@link RunBuffers}: neither cleared before they are filled, nor copied to be written. Whoever {@link #take takes} one gives it
 * back. On one thread at a time.
 */
final class MadeSlices {
  /** So many are held at most, if they are large: else one. */
  private static final int MAX_COUNT = 3;

  private final RunBuffers buffers;
  private final ArrayDeque<ByteBuffer> slices = new ArrayDeque<>();
  private long heldBytes;

  /** @param buffers where slices outside the heap come from */
  MadeSlices(RunBuffers buffers) {
    this.buffers = buffers;
  }

  /** Whether memory is plenty, if a slice may have so many bytes. */
  static boolean areLarge(int sliceBytes) {
    return sliceBytes >= SliceSizes.MAX_BYTES;
  }

  /** What one takes at most. */
  static int maxBytes(int sliceBytes) {
    return areLarge(sliceBytes) ? RunBuffers.BYTES : sliceBytes;
  }

  /** How many are held at most. */
  static int maxCount(int sliceBytes) {
    return areLarge(sliceBytes) ? MAX_COUNT : 1;
  }

  /**
   * One more, empty, behind the others.
   *
   * @param sliceBytes see {@link kaka.connection.SlicedAnswer#next}
   * @param enoughBytes more are not needed
   */
  ByteBuffer add(int sliceBytes, long enoughBytes) {
    ByteBuffer added = areLarge(sliceBytes) ? buffers.tryTakeSpare().orElse(null) : null;
    if (added == null) {
      added = ByteBuffer.allocate((int) Math.min(sliceBytes, enoughBytes));
    }
    slices.add(added);
    heldBytes += added.capacity();
    return added;
  }

  boolean isEmpty() {
    return slices.isEmpty();
  }

  int count() {
    return slices.size();
  }

  ByteBuffer first() {
    return slices.getFirst();
  }

  ByteBuffer last() {
    return slices.getLast();
  }

  /** The first, from its start up to where it is filled, which is the caller's now. */
  ByteBuffer take() {
    ByteBuffer taken = slices.removeFirst();
    heldBytes -= taken.capacity();
    return taken.flip();
  }

  /** What all of them hold. */
  long heldBytes() {
    return heldBytes;
  }

  /** Lets go of all. */
  void drop() {
    while (!isEmpty()) {
      buffers.giveBack(take());
    }
  }
}
