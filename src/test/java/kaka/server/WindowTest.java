package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** What one connection may have in flight, and that its edge reaches the client's socket. */
class WindowTest {

  /**
   * With the disk held up, 200 produces are on their way but four alone are charged: the stage took no more. The peak is read
   * off the budget: every batch is charged from when it is decoded until its answer is out.
   */
  @Test
  void partitionSeesNoMoreThanTheWindow() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker broker = TestBroker.start("kaka.connections.window-requests = 4", disk)) {
      int batchBytes = produce(ORDERS, 1000).batch().sizeBytes();
      try (RawConnection connection = new RawConnection(broker.address())) {
        connection.ask(produce(ORDERS, 1000));
        long writes = disk.count(Operation.WRITE, "00.log");
        try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, "00.log")) {
          ByteArrayOutputStream all = new ByteArrayOutputStream();
          for (int i = 0; i < 200; i++) {
            all.writeBytes(produce(ORDERS, 1000).toFrame());
          }
          connection.send(all.toByteArray());
          gate.awaitEntered();
          TestBroker.awaitTrue("four are in flight", () -> broker.memory().usedBytes() == 4L * batchBytes);
          assertEquals(writes + 1, disk.count(Operation.WRITE, "00.log"), "the first commit waits for its sync");
        }
        for (int i = 1; i <= 200; i++) {
          assertEquals(new ProduceAck(i), connection.receive());
        }
        // 200 in groups of at most 4: the log cannot have been written fewer times than that
        assertTrue(disk.count(Operation.WRITE, "00.log") - writes >= 50, disk.count(Operation.WRITE, "00.log") + " writes");
      }
      TestBroker.awaitTrue("the broker saw four at most", () -> broker.connectionCounts().peakInFlight() == 4);
      broker.awaitBudgetEmpty();
    }
  }

  /** A client that never reads its credit: the socket fills, and what the broker holds stays within one window. */
  @Test
  void clientThatIgnoresTheWindowIsHeldUpByTcp() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    String hocon = "kaka.connections.window-requests = 4, kaka.connections.window-bytes = 256KiB";
    try (TestBroker broker = TestBroker.start(hocon, disk)) {
      byte[] frame = produce(ORDERS, 100_000).toFrame();
      int batchBytes = produce(ORDERS, 100_000).batch().sizeBytes();
      try (RawConnection first = new RawConnection(broker.address())) {
        first.ask(produce(ORDERS, 1));
      }
      try (SocketChannel flood = SocketChannel.open(broker.address())) {
        long sent = 0;
        try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, "00.log")) {
          flood.configureBlocking(false);
          ByteBuffer next = ByteBuffer.wrap(frame);
          for (int full = 0; full < 200_000; ) { // until the socket has taken nothing for very many tries: TCP holds it up
            if (!next.hasRemaining()) {
              next.rewind();
            }
            int count = flood.write(next);
            sent += count;
            full = count == 0 ? full + 1 : 0;
          }
          gate.awaitEntered();
          assertTrue(sent > 1 << 20, "more than the window was on its way");
          assertEquals(3L * batchBytes, broker.memory().usedBytes(), "a window of 256 KiB is full with three, and nothing else is kept");
        }
        // And no error: what was taken is stored, once the disk is there again.
        flood.configureBlocking(true);
        ByteBuffer ack = ByteBuffer.allocate(ProduceAck.FRAME_BYTES);
        for (long offset = 1; offset <= sent / frame.length; offset++) {
          ack.clear();
          while (ack.hasRemaining()) {
            assertTrue(flood.read(ack) > 0);
          }
          assertEquals(offset, ack.getLong(ProduceAck.FRAME_BYTES - 8));
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** It is not read behind its full window, and has sent more than is read ahead. What the partition has of it is the partition's. */
  @Test
  void clientThatResetsBehindItsFullWindowIsNoticed() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    String hocon =
        "kaka.connections.window-requests = 1, kaka.connections.write-timeout = 200ms, kaka.dispatchers.sockets.buffer-bytes = 8KiB";
    try (TestBroker broker = TestBroker.start(hocon, disk)) {
      try (RawConnection first = new RawConnection(broker.address())) {
        first.ask(produce(ORDERS, 1));
      }
      TestBroker.awaitTrue("nobody is there", () -> broker.connectionCounts().open().all().isEmpty());
      try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, "00.log")) {
        try (RawConnection victim = new RawConnection(broker.address())) {
          victim.send(Requesting.frames(produce(ORDERS, 1), produce(ORDERS, 100_000)));
          gate.awaitEntered();
          victim.socket().setSoLinger(true, 0);
        }
        TestBroker.awaitTrue("it has ended", () -> broker.connectionCounts().open().all().isEmpty());
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** One request larger than the window is let in alone. */
  @Test
  void requestLargerThanTheWindowIsTakenAlone() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.window-bytes = 64KiB")) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        for (int i = 0; i < 5; i++) {
          connection.send(produce(ORDERS, 1 << 20));
        }
        for (int i = 0; i < 5; i++) {
          assertEquals(new ProduceAck(i), connection.receive());
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Sixteen at once on one partition: each one's records in its order, no gap, each once; some of them cut off in the middle. */
  @Test
  void manyConnectionsKeepTheirOrderOnOnePartition() throws Exception {
    int perConnection = 400;
    try (TestBroker broker = TestBroker.start("kaka.log.segment-bytes = 64KiB")) {
      CompletableFuture<?>[] all = new CompletableFuture<?>[16];
      for (int c = 0; c < all.length; c++) {
        int me = c;
        all[c] = CompletableFuture.runAsync(() -> produceAll(broker, me, perConnection, me % 4 == 3), task -> new Thread(task).start());
      }
      CompletableFuture.allOf(all).join();
      try (RawConnection reader = new RawConnection(broker.address())) {
        DescribeTopicReply topic = (DescribeTopicReply) reader.ask(new DescribeTopic("orders"));
        long end = topic.partitions().get(0).highWatermark();
        int[] next = new int[16];
        for (long offset = 0; offset < end; ) {
          Records records = (Records) reader.ask(fetch(ORDERS, offset));
          for (Records.Entry entry : records.entries()) {
            assertEquals(offset++, entry.offset());
            ByteBuffer value = ByteBuffer.wrap(entry.value());
            int who = value.getInt();
            assertEquals(next[who]++, value.getInt(), "of connection " + who);
          }
        }
        for (int c = 0; c < 16; c++) {
          if (c % 4 != 3) {
            assertEquals(perConnection, next[c], "of connection " + c);
          }
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  private static void produceAll(TestBroker broker, int me, int count, boolean dies) {
    try (RawConnection connection = new RawConnection(broker.address())) {
      long last = -1;
      int inFlight = 0;
      for (int i = 0; i < count; i++) {
        connection.send(new kaka.protocol.Produce(ORDERS, Requesting.batch(ByteBuffer.allocate(8).putInt(me).putInt(i).array())));
        if (++inFlight == 32) {
          last = ack(connection, last);
          inFlight--;
        }
        if (dies && i == count / 2) {
          connection.socket().setSoLinger(true, 0);
          return;
        }
      }
      for (; inFlight > 0; inFlight--) {
        last = ack(connection, last);
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static long ack(RawConnection connection, long last) throws java.io.IOException {
    long offset = ((ProduceAck) connection.receive()).baseOffset();
    assertTrue(offset > last, offset + " after " + last);
    return offset;
  }
}
