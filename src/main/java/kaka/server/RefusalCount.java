package kaka.server;

import java.util.Locale;
import kaka.connection.Connection;
import kaka.metrics.Protocol;
import kaka.protocol.ErrorCode;
import kaka.protocol.Limits;
import kaka.protocol.MessageType;

/** Counts the answers that are errors, by their code. */
final class RefusalCount {
  private static final int TYPE_AT = Limits.FRAME_HEADER_BYTES - 1;

  private RefusalCount() {}

  /** @param frame an answer, whole or its beginning */
  static byte[] count(Connection connection, byte[] frame) {
    if ((frame[TYPE_AT] & 0xff) == MessageType.ERROR) {
      int code = (frame[TYPE_AT + 1] & 0xff) << 8 | frame[TYPE_AT + 2] & 0xff;
      String reason = ErrorCode.of(code).map(known -> known.name().toLowerCase(Locale.ROOT)).orElse("unknown");
      connection.services().metrics().requests().refused(Protocol.NATIVE, reason);
    }
    return frame;
  }
}
