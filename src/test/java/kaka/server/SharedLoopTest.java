package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import kaka.broker.TestBroker;
import kaka.protocol.Fetch;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import org.junit.jupiter.api.Test;

/** Connections that share one thread. */
class SharedLoopTest {
  /** Not read: more MiB than the kernel holds of both sockets, however large it makes their buffers. */
  private static final int LEFT_STEPS = 48;

  private static final int STEPS = 64;
  private static final int STEP_BYTES = 1 << 20;

  /**
   * One asks for 64 MiB four times at once and reads it without pause for a while, then stops in the middle of it, as does the
   * other between its requests: each goes on only when the other has, so neither can have waited for the other's end.
   */
  @Test
  void largeAnswersAndSmallOnesAlternate() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.dispatchers.sockets.threads = 1, kaka.memory.max-bytes = 200MiB");
        RawConnection large = new RawConnection(broker.address());
        RawConnection small = new RawConnection(broker.address())) {
      for (int i = 0; i < STEPS + 1; i++) {
        large.ask(produce(ORDERS, STEP_BYTES));
      }
      for (int i = 0; i < 4; i++) {
        large.send(new Fetch(ORDERS, 0, STEPS << 20, 0, 0));
      }
      InputStream in = large.socket().getInputStream();
      for (int i = 0; i < 4 * STEPS - LEFT_STEPS; i++) {
        assertEquals(STEP_BYTES, in.readNBytes(STEP_BYTES).length);
        assertInstanceOf(HelloReply.class, small.ask(new Hello(1, 1, "", "")));
      }
      assertTrue(broker.memory().usedBytes() > 0, "the last answer is still on its way");
    }
  }
}
