package kaka.server;

import akka.util.ByteString;
import kaka.partition.MemoryBudget;
import kaka.protocol.FrameCutter;
import kaka.protocol.ProtocolException;

/** What a connection has received and not used yet: cut into frames, charged to the memory budget while it is kept. */
final class ConnectionInput {
  /** What every connection may keep, so that it can at least be told that there is no memory. */
  private static final int FREE_BYTES = 256;

  private final FrameCutter cutter;
  private final MemoryBudget memory;
  private int chunkBytes;
  private int chargedBytes;

  ConnectionInput(int maxFrameBytes, MemoryBudget memory) {
    this.cutter = new FrameCutter(maxFrameBytes);
    this.memory = memory;
  }

  /** The next chunk; only when {@link #isDrained}. */
  void feed(ByteString received) {
    byte[] bytes = received.toArrayUnsafe();
    chunkBytes = bytes.length;
    cutter.feed(bytes, 0, bytes.length);
  }

  /**
   * As {@link FrameCutter#next}; the frame is then in {@link #frames}. Its bytes are not charged any more: what is made of it
   * is, so that a frame needs the memory for itself only once.
   */
  boolean next() throws ProtocolException {
    if (!cutter.next()) {
      return false;
    }
    resize(0);
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
   * Charges what is kept now. A chunk that waits for credit is kept even if there is no memory for it: there is one per
   * connection, and its frames are not refused before their turn. A frame that is not whole yet is given up then, and what
   * will come of it is passed over.
   *
   * @return false if a frame was given up, which is still to be answered
   */
  boolean charge() {
    if (!cutter.isDrained()) {
      resize(chunkBytes);
      return true;
    }
    int kept = cutter.bufferedBytes();
    if (resize(kept <= FREE_BYTES ? 0 : kept)) {
      return true;
    }
    cutter.skipPartial();
    resize(0);
    return false;
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
