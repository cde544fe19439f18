package kaka.connection;

import akka.util.ByteString;
import kaka.partition.MemoryBudget;
import kaka.protocol.FrameCutter;
import kaka.protocol.ProtocolException;

/** What a connection has received and not used yet: cut into frames, charged to the memory budget while it is kept. */
public final class ConnectionInput {
  /** What every connection may keep, so that it can at least be told that there is no memory. */
  private static final int FREE_BYTES = 256;

  private final FrameCutter cutter;
  private final MemoryBudget memory;
  private int chunkBytes;
  private int chargedBytes;
  private int refusedFrames;

  ConnectionInput(int maxFrameBytes, MemoryBudget memory) {
    this.cutter = new FrameCutter(maxFrameBytes, true);
    this.memory = memory;
  }

  /** The next chunk; only when {@link #isDrained}. */
  void feed(ByteString received) {
    byte[] bytes = received.toArrayUnsafe();
    chunkBytes = bytes.length;
    cutter.feed(bytes, 0, bytes.length);
  }

  /** As {@link FrameCutter#next}; the frame is then in {@link #frames}, and still charged if it took an array of its own. */
  boolean next() throws ProtocolException {
    return cutter.next();
  }

  /**
   * Charges {@code bytes} for what was made of the frame, which is let go: so its charge is handed over, as far as it goes, and
   * a frame needs the memory for itself only once. Release them with {@link MemoryBudget#release}.
   *
   * @return false if there is no room
   */
  public boolean handOver(int bytes) {
    int handed = Math.min(bytes, chargedBytes);
    if (!memory.tryReserve(bytes - handed)) {
      return false;
    }
    chargedBytes -= handed;
    return true;
  }

  FrameCutter frames() {
    return cutter;
  }

  /** Whether nothing is left of the last chunk. */
  boolean isDrained() {
    return cutter.isDrained();
  }

  /** Whether the stream is Kafka's: its first type is none of ours. */
  boolean isKafka() {
    return cutter.firstTypeByte().orElse(1) == 0;
  }

  /**
   * Charges what is kept now: a chunk that waits for credit, or a frame that is not whole yet. Where there is no memory for it,
   * it is given up: its frames are refused, and what will come of the last one is passed over.
   *
   * @param mayRefuse false while an earlier request has no place among the answers yet, so that nothing behind it can be
   *     refused: then a chunk is kept without a charge, for as long as the registry takes to answer
   * @throws ProtocolException as {@link #next}
   */
  void charge(boolean mayRefuse) throws ProtocolException {
    if (!cutter.isDrained()) {
      if (resize(chunkBytes) || !mayRefuse) {
        return;
      }
      while (cutter.next()) {
        refusedFrames++;
      }
    }
    int kept = cutter.bufferedBytes();
    if (!resize(kept <= FREE_BYTES ? 0 : kept)) {
      cutter.skipPartial();
      resize(0);
      refusedFrames++;
    }
  }

  /** How many frames {@link #charge} has given up since the last call of this: each is to be answered. */
  int takeRefusedFrames() {
    int taken = refusedFrames;
    refusedFrames = 0;
    return taken;
  }

  private boolean resize(int bytes) {
    if (bytes > chargedBytes) {
      if (!memory.tryReserve(bytes - chargedBytes)) {
        return false;
      }
    } else if (bytes < chargedBytes) {
      memory.release(chargedBytes - bytes);
    }
    chargedBytes = bytes;
    return true;
  }

  /** The connection has ended. */
  void end() {
    resize(0);
  }
}
