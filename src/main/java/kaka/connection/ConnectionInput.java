package kaka.connection;

import java.io.IOException;
import java.util.Optional;
import kaka.partition.MemoryBudget;
import kaka.protocol.FrameCutter;
import kaka.protocol.FramePieces;
import kaka.protocol.ProtocolException;
import kaka.record.Allowance;

/**
 * What a connection has received and not used yet, cut into frames. A frame that is not whole yet is charged to the memory
 * budget. A chunk of the socket that waits for credit is not, but for what it is more than {@code kaka.dispatchers.sockets.buffer-bytes}:
 * there is one at most.
 */
public final class ConnectionInput {
  /** What every connection may keep, so that it can at least be told that there is no memory. */
  private static final int FREE_BYTES = 256;

  private final FrameCutter cutter;
  private final MemoryBudget memory;
  private int chargedBytes;
  private int chunkChargedBytes;
  private long cutFrames;

  /** Where the frame that was cut is made one of its pieces; null while there is none. */
  private Checks joining;

  ConnectionInput(int maxFrameBytes, MemoryBudget memory) {
    this.cutter = new FrameCutter(maxFrameBytes, true, Checks.LIGHT_BYTES);
    this.memory = memory;
  }

  /**
   * The next chunk; only when {@link #isDrained}.
   *
   * @param charged bytes that are reserved for it in the memory budget: released once it is used up
   */
  void feed(byte[] bytes, int charged) {
    cutter.feed(bytes, 0, bytes.length);
    chunkChargedBytes += charged;
  }

  /** What is still to come of the frame that is not whole yet, as far as that is known; else 0. */
  int missingBytes() {
    return cutter.missingBytes();
  }

  /** Bytes of memory that are held of it. */
  int heldBytes() {
    return cutter.bufferedBytes();
  }

  /** As {@link FrameCutter#fill}. */
  int fill(FrameCutter.Source source) throws IOException {
    return cutter.fill(source);
  }

  /** As {@link FrameCutter#next}; the frame is then to be {@link #giveTo given} to the intake, and still charged if it took an array of its own. */
  boolean next() throws ProtocolException {
    boolean isCut = cutter.next();
    cutFrames += isCut ? 1 : 0;
    return isCut;
  }

  /** How many frames were cut so far. */
  long cutFrames() {
    return cutFrames;
  }

  /** Whether the client has begun a frame and owes the rest of it. */
  boolean isInFrame() {
    return cutter.isDrained() && cutter.isInFrame();
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

  /** What was {@link #handOver handed over} is not needed any more: what comes next may have it, the rest is given back at the next look. */
  public void takeBack(int bytes) {
    chargedBytes += bytes;
  }

  /**
   * Has the frame that was cut taken: now, or, if it is in pieces, when they have been made one, which takes longer than other
   * connections should wait. What it is charged comes back here then.
   *
   * @param refusal of one that there is no memory to make of its pieces; it is let go of
   */
  void giveTo(Intake intake, Checks checks, Runnable refusal) {
    if (!cutter.isInPieces()) {
      give(intake);
      return;
    }
    FramePieces pieces = cutter.takePieces();
    if (!resize(pieces.sizeBytes())) { // what came last is not charged yet
      resize(0);
      refusal.run();
      return;
    }
    chargedBytes = 0;
    joining = checks;
    checks.start(
        BatchCheck.whole(allowance -> join(pieces, allowance)),
        pieces.sizeBytes(),
        (whole, charged) -> {
          joining = null;
          int wholeBytes = whole.map(array -> array.length).orElse(0);
          takeBack(wholeBytes);
          memory.release(charged - wholeBytes);
          whole.ifPresentOrElse(
              array -> {
                cutter.joined(array);
                give(intake);
              },
              refusal);
        });
  }

  private void give(Intake intake) {
    intake.take(cutter);
    cutter.taken();
  }

  /** Comes to nothing if there is no memory for it. */
  private static Optional<byte[]> join(FramePieces pieces, Allowance allowance) {
    return allowance.tryReserve(pieces.sizeBytes()) ? Optional.of(pieces.join()) : Optional.empty();
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
   * Charges the frame that is not whole yet. Where there is no memory for it, it is given up, and what will come of it is passed over.
   * The chunk's charge is released once that is used up.
   *
   * @param isWorkedOn whether a frame that was taken is not done with: it may lie in the chunk, and hold all of it
   * @return false if the frame was given up: it is to be refused
   */
  boolean charge(boolean isWorkedOn) {
    if (!isWorkedOn && cutter.isChunkUsed()) {
      releaseChunk();
    }
    int kept = heldBytes();
    if (resize(kept <= FREE_BYTES ? 0 : kept)) {
      return true;
    }
    cutter.skipPartial();
    resize(0);
    return false;
  }

  private void releaseChunk() {
    memory.release(chunkChargedBytes);
    chunkChargedBytes = 0;
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

  /**
   * No more frames are taken: what is there of one is let go, whole or not, for the connection may have to answer for long yet. A check
   * that runs has the chunk to its end, and what that is charged beyond a chunk's usual size is released all the same.
   */
  void end() {
    if (joining != null) {
      joining.leave();
      joining = null;
    }
    cutter.drop();
    releaseChunk();
    resize(0);
  }
}
