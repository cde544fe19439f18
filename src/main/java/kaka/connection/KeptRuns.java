package kaka.connection;

import java.nio.ByteBuffer;

/**
 * What one answer has measured and keeps until it is sent, so that it is not read a second time: runs of whole batches, each in the
 * buffer that it was read into. Counts what they hold as they come and go. On one thread at a time.
 */
public final class KeptRuns {
  /** Held at most, where memory is plenty: as much as most clients fetch at a time. */
  static final int MAX_BYTES = RunBuffers.BYTES;

  private final RunBuffers buffers;
  private long heldBytes;

  /** @param buffers where those of the runs come from */
  public KeptRuns(RunBuffers buffers) {
    this.buffers = buffers;
  }

  /** What all of them hold. */
  public long heldBytes() {
    return heldBytes;
  }

  /**
   * What of the next run may be kept: nothing where memory does not allow slices of full size.
   *
   * @param sliceBytes of the next slice
   * @param leftBytes of the answer, at most
   */
  public int room(int sliceBytes, long leftBytes) {
    boolean isPlenty = sliceBytes >= Math.min(SliceSizes.MAX_BYTES, leftBytes);
    return isPlenty ? (int) Math.max(0, Math.min(MAX_BYTES - heldBytes, leftBytes)) : 0;
  }

  /** One that keeps nothing yet. */
  public Run run() {
    return new Run();
  }

  /** A run of batches, if it is kept. */
  public final class Run {
    private boolean mayKeep;
    private ByteBuffer bytes;

    private Run() {}

    /**
     * The next task measures it through {@code window}.
     *
     * @param windowBytes what may be held to read through
     * @param possibleBytes what it can have at most
     * @param roomBytes what may be held instead, if that is enough to have all of it at once; see {@link #room}
     */
    public void startTask(ReadWindow window, int windowBytes, long possibleBytes, int roomBytes) {
      mayKeep = possibleBytes <= roomBytes;
      if (mayKeep) {
        window.startTask((int) Math.max(windowBytes, possibleBytes), buffers);
      } else {
        window.startTask(windowBytes);
      }
    }

    /** It is measured: what {@code window} has at the start of its buffer is kept, and the window's no more, if all of it is there. */
    public void keep(ReadWindow window, long at, long sizeBytes) {
      if (mayKeep && sizeBytes > 0 && window.holds(at, (int) sizeBytes) && window.index(at) == 0) {
        drop();
        bytes = window.give().limit((int) sizeBytes);
        heldBytes += bytes.capacity();
      }
    }

    public boolean isKept() {
      return bytes != null;
    }

    /** All of it, in a buffer that is the caller's now, from its start up to a limit; only if it {@link #isKept}. */
    public ByteBuffer take() {
      ByteBuffer taken = bytes;
      forget();
      return taken;
    }

    /** Lets go of it; it is read again. */
    public void drop() {
      if (bytes != null) {
        ByteBuffer dropped = bytes;
        forget();
        buffers.giveBack(dropped);
      }
    }

    private void forget() {
      heldBytes -= bytes.capacity();
      bytes = null;
    }
  }
}
