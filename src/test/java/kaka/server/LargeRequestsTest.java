package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.RecordBatches;
import kaka.protocol.Request;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** Requests larger than what a connection reads at a time: their rest is read to where it belongs. */
class LargeRequestsTest {
  private static final String SMALL_READS = "kaka.dispatchers.sockets.buffer-bytes = 8KiB\n";

  /** Small and large ones behind each other, in pieces of any size: each is stored as it was sent, in order. */
  @Test
  void requestsOfAnySizeInPiecesOfAnySize() throws Exception {
    Random random = new Random(TestSeed.get());
    List<byte[]> values = new ArrayList<>();
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (int i = 0; i < 200; i++) {
      byte[] value = new byte[random.nextInt(switch (i % 5) {
        case 0 -> i % 20 == 0 ? 4_000_000 : 600_000; // also some that are put together of pieces
        case 1 -> 40_000;
        case 2 -> 9000;
        default -> 300;
      })];
      random.nextBytes(value);
      values.add(value);
      stream.write(new Produce(ORDERS, Requesting.batch(value)).toFrame());
    }

    try (TestBroker broker = TestBroker.start(SMALL_READS);
        RawConnection connection = new RawConnection(broker.address())) {
      Thread sender = new Thread(() -> send(connection, stream.toByteArray(), random));
      sender.start();
      for (int i = 0; i < values.size(); i++) {
        connection.receive();
      }
      sender.join();

      for (int offset = 0; offset < values.size(); ) {
        for (RecordBatch batch :
            ((RecordBatches) connection.ask(new FetchBatches(new Fetch(ORDERS, offset, 1 << 20, 0, 0)))).batches()) {
          assertEquals(offset, batch.baseOffset());
          assertArrayEquals(values.get(offset), batch.records().get(0).value(), "record " + offset);
          offset++;
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  private static void send(RawConnection connection, byte[] bytes, Random random) {
    try {
      for (int at = 0; at < bytes.length; ) {
        int size = Math.min(bytes.length - at, 1 + random.nextInt(random.nextInt(4) == 0 ? 50 : 100_000));
        connection.socket().getOutputStream().write(bytes, at, size);
        at += size;
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** One for which there is no memory is passed over and refused, and the next is served. */
  @Test
  void largeRequestWithoutMemoryIsPassedOver() throws Exception {
    String little = "kaka.memory.max-bytes = 8MiB, kaka.connections.max-frame-bytes = 4MiB\n";
    try (TestBroker broker = TestBroker.start(SMALL_READS + little);
        RawConnection connection = new RawConnection(broker.address())) {
      byte[] large = new Produce(ORDERS, Requesting.batch(new byte[3_900_000])).toFrame();
      try (RawConnection one = new RawConnection(broker.address());
          RawConnection other = new RawConnection(broker.address())) {
        one.send(Arrays.copyOf(large, large.length - 1));
        other.send(Arrays.copyOf(large, large.length - 1));
        broker.awaitBudget(2L * large.length);

        connection.send(large);
        Requesting.assertError(ErrorCode.MEMORY, connection.receive());
      }
      assertEquals(new ProduceAck(0), connection.ask(new Produce(ORDERS, Requesting.batch(new byte[1000]))));
      broker.awaitBudgetEmpty();
    }
  }

  /** What the settings promise of a request of more than 1 MiB: half of the budget is let in, and more is not. */
  @Test
  void aLargeRequestTakesTwiceItsSizeOfTheBudget() throws Exception {
    int halfOfBudget = 4 << 20;
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 8MiB");
        RawConnection connection = new RawConnection(broker.address())) {
      int besides = new ProduceBatch(ORDERS, Requesting.batch(new byte[halfOfBudget - 200])).toFrame().length - (halfOfBudget - 200);
      Request half = new ProduceBatch(ORDERS, Requesting.batch(new byte[halfOfBudget - besides]));
      assertEquals(halfOfBudget, half.toFrame().length);
      Request more = new ProduceBatch(ORDERS, Requesting.batch(new byte[halfOfBudget - besides + 1]));

      assertEquals(new ProduceAck(0), connection.ask(half));
      broker.awaitBudgetEmpty();
      Requesting.assertError(ErrorCode.MEMORY, connection.ask(more));
      assertEquals(new ProduceAck(1), connection.ask(half));
      broker.awaitBudgetEmpty();
    }
  }
}
