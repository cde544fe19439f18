package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.TimeUnit;
import kaka.partition.MemoryBudget;
import kaka.protocol.MessageType;
import kaka.socket.SelectorLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a client's socket; the loop does not run, so all is on the test's thread. What a client has written is there to be read. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadAheadTest {
  private static final int CHUNK_BYTES = 4096;
  private static final int FRAME_BYTES = 5000; // crosses chunks
  private static final int WRITTEN_BYTES = 8 * FRAME_BYTES;
  private static final int MEMORY_BYTES = 8 << 20;

  private final MemoryBudget memory = new MemoryBudget(MEMORY_BYTES);
  private final ConnectionInput input = new ConnectionInput(1 << 20, memory);
  private final Socket client = new Socket();
  private SelectorLoop loop;
  private ReadAhead ahead;

  @BeforeEach
  void connect() throws IOException {
    loop = SelectorLoop.crashing("not started", 256 << 10);
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      client.connect(server.getLocalAddress());
      ahead = new ReadAhead(new ClientSocket(loop, CHUNK_BYTES, server.accept(), key -> {}), input, memory);
    }
  }

  @AfterEach
  void end() throws IOException {
    client.close();
    loop.start(() -> {}).close();
  }

  /** Whole frames, one behind the other. */
  private void write(int count) throws IOException {
    byte[] bytes = new byte[count * FRAME_BYTES];
    for (int at = 0; at < bytes.length; at += FRAME_BYTES) {
      bytes[at + 2] = (FRAME_BYTES - 4) >> 8;
      bytes[at + 3] = (byte) (FRAME_BYTES - 4);
      bytes[at + 4] = MessageType.PRODUCE;
    }
    client.getOutputStream().write(bytes);
  }

  /** Reads and uses one chunk; returns how many frames came of it. */
  private int useOne() throws Exception {
    ahead.want();
    assertTrue(ahead.read(false));
    ahead.use();
    return cut();
  }

  private int cut() throws Exception {
    int count = 0;
    while (input.next()) {
      count++;
    }
    assertTrue(input.charge(false));
    return count;
  }

  @Test
  void chunkBehindAFullOneIsWideAndWhatItIsMoreIsChargedUntilItIsUsed() throws Exception {
    write(8);

    assertEquals(0, useOne());
    long partBytes = memory.usedBytes();
    ahead.want();
    assertTrue(ahead.read(false));
    assertEquals(partBytes + WRITTEN_BYTES - 2 * CHUNK_BYTES, memory.usedBytes());
    ahead.use();

    assertEquals(8, cut());
    assertEquals(0, memory.usedBytes());
  }

  /** It may wait for long, and is only there so that a client that leaves is noticed. */
  @Test
  void chunkThatNobodyCanUseYetIsNotWide() throws Exception {
    write(8);
    useOne();
    long partBytes = memory.usedBytes();

    assertFalse(ahead.read(false));
    assertTrue(ahead.isWaiting());
    assertEquals(partBytes, memory.usedBytes());
    ahead.use();
    assertEquals(1, cut());
  }

  @Test
  void chunkBehindOneThatWasNotFullIsNotWide() throws Exception {
    write(1);
    assertEquals(0, useOne());
    assertEquals(1, useOne());
    write(8);

    assertEquals(0, useOne());
    assertEquals(8, useOne());
  }

  @Test
  void whereThereIsLittleMemoryItIsAChunkAsAnyOther() throws Exception {
    assertTrue(memory.tryReserve(MEMORY_BYTES / 4 - (1 << 20))); // there is some, but what is made of the requests will need it
    write(8);

    useOne();
    for (int cutBytes = 0, i = 2; i * CHUNK_BYTES < WRITTEN_BYTES; i++) {
      cutBytes += useOne() * FRAME_BYTES;
      assertTrue(cutBytes <= i * CHUNK_BYTES, "no more than chunks have brought");
    }
    assertEquals(0, memory.refusalCount(), "nobody was refused anything");
  }

  @Test
  void neitherOneThatWaitsNorOneThatIsNotUsedUpStaysCharged() throws Exception {
    write(8);
    useOne();
    ahead.want();
    assertTrue(ahead.read(false));
    long readBytes = memory.usedBytes();
    ahead.drop();
    assertTrue(memory.usedBytes() < readBytes);
    assertEquals(input.heldBytes(), memory.usedBytes());
    input.end();
    assertEquals(0, memory.usedBytes());

    write(8);
    ahead.want();
    assertTrue(ahead.read(false));
    ahead.use();
    assertTrue(memory.usedBytes() > 0);
    input.end();
    assertEquals(0, memory.usedBytes());
  }

  /** A frame that is checked elsewhere may lie in it. */
  @Test
  void chunkIsChargedAsLongAsAFrameOfItIsWorkedOn() throws Exception {
    write(8);
    useOne();
    ahead.want();
    assertTrue(ahead.read(false));
    ahead.use();
    while (input.next()) {
      input.charge(true);
    }
    assertTrue(input.isDrained());
    assertTrue(input.charge(true));
    assertEquals(WRITTEN_BYTES - 2 * CHUNK_BYTES, memory.usedBytes());

    assertTrue(input.charge(false));

    assertEquals(0, memory.usedBytes());
  }

  @Test
  void nothingIsChargedForAConnectionThatIsLost() throws Exception {
    write(8);
    useOne();
    client.setSoLinger(true, 0);
    client.close();
    ahead.want();
    assertTrue(ahead.read(false), "what has come is read");
    ahead.drop();
    input.end();
    ahead.want();

    assertThrows(IOException.class, () -> ahead.read(false));

    assertEquals(0, memory.usedBytes());
  }

  @Test
  void oneThatWasWantedByNobodyAnyMoreIsNotWide() throws Exception {
    write(8);
    useOne();
    ahead.want();
    ahead.wantNoMore();

    assertFalse(ahead.read(false));

    assertEquals(input.heldBytes(), memory.usedBytes());
  }

  /** The client is to see the end of the answers: what it sends is read, and lost. */
  @Test
  void whatIsPassedOverIsNotKept() throws Exception {
    write(8);
    useOne();
    assertFalse(ahead.read(true));

    assertFalse(ahead.isWaiting());
    assertEquals(input.heldBytes(), memory.usedBytes());
  }
}
