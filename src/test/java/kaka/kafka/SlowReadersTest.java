package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that ask for much and hardly read, through each door: all of them together hold little, for the more there are, the smaller
 * are their slices. So where the budget has room for three large ones, a hundred are served, and others besides.
 */
class SlowReadersTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  private static final int READERS = 100;
  private static final int RECORDS = 4;

  /** How the bytes are asked for. */
  private enum Form {
    NATIVE(new Fetch(ORDERS, 0, 64 << 20, 0, 0).toFrame()),
    NATIVE_BATCHES(new FetchBatches(new Fetch(ORDERS, 0, 64 << 20, 0, 0)).toFrame()),
    KAFKA(KafkaSocket.frame(ApiKeys.FETCH, 12, 1, everything()));

    private final byte[] request;

    Form(byte[] request) {
      this.request = request;
    }

    private static FetchRequestData everything() {
      FetchRequestData request = KafkaRequests.fetch("orders", 0, 0).setMaxBytes(64 << 20);
      request.topics().get(0).partitions().get(0).setPartitionMaxBytes(64 << 20);
      return request;
    }
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aHundredAreServedWhereThereIsRoomForThree(Form form) throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 4MiB, kaka.fetch.max-bytes = 64MiB");
        RawConnection writer = new RawConnection(broker.address())) {
      Random random = new Random(TestSeed.get());
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = new byte[1 << 20];
        random.nextBytes(value);
        assertEquals(new ProduceAck(i), writer.ask(new Produce(ORDERS, batch(value))));
      }
      List<Socket> slow = new ArrayList<>();
      try {
        for (int i = 0; i < READERS; i++) {
          slow.add(ask(broker, form));
        }
        List<Integer> lengths = new ArrayList<>();
        for (Socket each : slow) {
          lengths.add(new DataInputStream(each.getInputStream()).readInt());
        }
        assertTrue(lengths.stream().allMatch(length -> length > RECORDS << 20), "refused: " + lengths);
        assertEquals(new ProduceAck(RECORDS), writer.ask(new Produce(ORDERS, batch(new byte[10]))));

        byte[] first = slow.get(0).getInputStream().readNBytes(lengths.get(0));
        byte[] last = slow.get(READERS - 1).getInputStream().readNBytes(lengths.get(READERS - 1));
        assertArrayEquals(first, last, "in large slices or in small ones");
      } finally {
        for (Socket each : slow) {
          each.close();
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** The kernel is to hold as little for it as can be. */
  private static Socket ask(TestBroker broker, Form form) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.setSoTimeout(120_000);
    socket.connect(broker.address(), 60_000);
    socket.getOutputStream().write(form.request);
    return socket;
  }

  private static RecordBatch batch(byte[] value) {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    builder.append(0, null, value, List.of());
    return builder.build();
  }
}
