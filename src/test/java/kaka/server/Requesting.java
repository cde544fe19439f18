package kaka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import kaka.connection.RunBuffers;
import kaka.connection.SliceSizes;
import kaka.partition.MemoryBudget;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.Produce;
import kaka.protocol.Request;
import kaka.protocol.Response;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;

/** Requests in few words, for tests. */
final class Requesting {
  static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  private Requesting() {}

  static RecordBatch batch(byte[]... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    for (byte[] value : values) {
      builder.append(0, null, value, List.of());
    }
    return builder.build();
  }

  /** What an answer's slice has, from its start to its limit. */
  static byte[] bytes(ByteBuffer slice) {
    byte[] bytes = new byte[slice.limit()];
    slice.get(0, bytes);
    return bytes;
  }

  static Produce produce(TopicPartition partition, String... values) {
    byte[][] bytes = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = values[i].getBytes(StandardCharsets.UTF_8);
    }
    return new Produce(partition, batch(bytes));
  }

  static Produce produce(TopicPartition partition, int valueBytes) {
    return new Produce(partition, batch(new byte[valueBytes]));
  }

  /** Fills ORDERS with 120 records of 100 to 200 KB, one a batch, for answers that are larger than the kernels take; returns their values. */
  static List<byte[]> produceLarge(RawConnection connection, Random random) throws IOException {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      byte[] value = new byte[100_000 + random.nextInt(100_000)];
      random.nextBytes(value);
      values.add(value);
      connection.ask(new Produce(ORDERS, batch(value)));
    }
    return values;
  }

  /** All there is from {@code offset} on, at once. */
  static Fetch fetch(TopicPartition partition, long offset) {
    return new Fetch(partition, offset, 1 << 20, 0, 0);
  }

  /** Waits for a record for a minute. */
  static Fetch waiting(TopicPartition partition, long offset) {
    return new Fetch(partition, offset, 1 << 20, 60_000, 1);
  }

  static byte[] frames(Request... requests) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Request request : requests) {
      out.writeBytes(request.toFrame());
    }
    return out.toByteArray();
  }

  /** A frame of any type and body. */
  static byte[] frame(int type, byte... body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int length = body.length + 1;
    out.write(length >>> 24);
    out.write(length >>> 16);
    out.write(length >>> 8);
    out.write(length);
    out.write(type);
    out.writeBytes(body);
    return out.toByteArray();
  }

  static void assertError(ErrorCode expected, Response response) {
    ErrorReply error = assertInstanceOf(ErrorReply.class, response);
    assertEquals(expected, error.error().orElseThrow(), error.message());
  }

  /** Some buffers for a source that is tried without a broker. */
  static RunBuffers runBuffers() {
    return new SliceSizes(new MemoryBudget(256 << 20)).buffers();
  }
}
