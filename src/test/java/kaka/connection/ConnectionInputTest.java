package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import kaka.partition.MemoryBudget;
import kaka.protocol.FrameCutter;
import kaka.protocol.MessageType;
import kaka.protocol.ProtocolException;
import org.junit.jupiter.api.Test;

class ConnectionInputTest {
  private final MemoryBudget memory = new MemoryBudget(8 << 20);

  /** The start of a frame of 2 MiB. */
  private static byte[] begun(int sizeBytes) {
    return Arrays.copyOf(new byte[] {0, 0x20, 0, 0, MessageType.PRODUCE}, sizeBytes);
  }

  /** Takes nothing of what it is given. */
  private static final class Seen implements Intake {
    private FrameCutter frame;
    private int bodyBytes;

    @Override
    public boolean isBlocked() {
      return false;
    }

    @Override
    public void take(FrameCutter cut) {
      frame = cut;
      bodyBytes = cut.bodyTo() - cut.bodyFrom();
      assertTrue(cut.array().length > bodyBytes);
    }

    @Override
    public void dispatch() {}

    @Override
    public Optional<byte[]> framingLost(ProtocolException reason) {
      return Optional.empty();
    }

    @Override
    public Optional<byte[]> noMemory() {
      return Optional.empty();
    }

    @Override
    public void end() {}
  }

  /** The next one may not be cut for long, where the client has to wait for its quota; and what has become of this one is charged elsewhere. */
  @Test
  void nothingIsKeptOfAFrameThatWasTaken() throws Exception {
    ConnectionInput input = new ConnectionInput(4 << 20, memory);
    Seen seen = new Seen();
    input.feed(begun(100 << 10), 0);
    assertFalse(input.next());
    input.feed(new byte[(2 << 20) + 4 - (100 << 10)], 0);
    assertTrue(input.next());

    input.giveTo(seen, null, null);

    assertEquals((2 << 20) - 1, seen.bodyBytes);
    assertEquals(0, seen.frame.array().length);
  }

  /** The last of it comes when there is no memory for that any more: nobody is given it, and nothing of it is kept. */
  @Test
  void frameInPiecesForWhichThereIsNoMemoryAtItsEndIsRefused() throws Exception {
    ConnectionInput input = new ConnectionInput(4 << 20, memory);
    List<String> refusals = new ArrayList<>();
    input.feed(begun(1 << 20), 0);
    assertFalse(input.next());
    assertTrue(input.charge(false));
    assertTrue(memory.tryReserve(memory.maxBytes() - memory.usedBytes() - 1000));
    long othersBytes = memory.usedBytes() - (1 << 20);
    input.feed(new byte[(1 << 20) + 4], 0);
    assertTrue(input.next());

    input.giveTo(new Seen(), null, () -> refusals.add("refused"));

    assertEquals(List.of("refused"), refusals);
    assertEquals(othersBytes, memory.usedBytes());
    assertEquals(0, input.heldBytes());
  }

  /** Its connection may have earlier requests to answer for long yet: what is not charged any more is not held, however it was kept. */
  @Test
  void anEndKeepsNothingOfAFrameThatIsNotWhole() throws Exception {
    for (int sizeBytes : new int[] {5, 1000, 300 << 10, 900 << 10}) {
      ConnectionInput input = new ConnectionInput(4 << 20, memory);
      input.feed(begun(sizeBytes), 0);
      assertFalse(input.next());
      assertTrue(input.charge(false));
      assertEquals((2 << 20) + 4 - sizeBytes, input.missingBytes());
      assertEquals(sizeBytes <= 256, memory.usedBytes() == 0);

      input.end();

      assertEquals(0, input.missingBytes());
      assertEquals(0, input.heldBytes());
      assertEquals(0, memory.usedBytes());
    }
  }
}
