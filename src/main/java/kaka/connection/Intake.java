package kaka.connection;

import java.util.Optional;
import kaka.protocol.FrameCutter;
import kaka.protocol.ProtocolException;

/** Makes an {@link Exchange} of every request of one connection. Used on the connection's thread alone. */
public interface Intake {
  /** Whether no more may be taken until something asked earlier is done. */
  boolean isBlocked();

  /** Whether nothing more is taken, ever: the connection ends when what was taken is answered. */
  default boolean isOver() {
    return false;
  }

  /** Takes the frame that was just cut. */
  void take(FrameCutter frame);

  /** Every frame that could be taken was: what was gathered of them goes out now. */
  void dispatch();

  /** The last answer, when the stream cannot be cut into frames any more; nothing if the protocol has none. */
  Optional<byte[]> framingLost(ProtocolException reason);

  /** The answer to a frame that was given up for want of memory; nothing if it can have none, and the connection must end. */
  Optional<byte[]> noMemory();

  /** The connection has ended. */
  void end();
}
