package kaka.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import kaka.record.Allowance;
import kaka.record.InvalidBatchException;
import kaka.record.NoAllowanceException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** The fast path gives what the plain one gives. */
class ProduceDecoderTest {
  private final ProduceDecoder decoder = new ProduceDecoder();

  @Test
  void findsTopicAndPartitionWithoutReadingTheRest() throws ProtocolException {
    byte[] body = HexFormat.of().parseHex("aa" + "0002c3a9" + "00000007");

    decoder.start(MessageType.PRODUCE, body, 1, body.length);

    assertEquals("\u00e9", decoder.topic());
    assertEquals(7, decoder.partition());
    assertEquals(3, decoder.topicFrom());
    assertEquals(2, decoder.topicSize());
    assertTrue(decoder.isTopic(new byte[] {(byte) 0xc3, (byte) 0xa9}));
    assertFalse(decoder.isTopic(new byte[] {(byte) 0xc3}));
    assertThrows(ProtocolException.class, () -> decoder.batch(0, false, Allowance.UNLIMITED, Allowance.UNLIMITED));
  }

  @Test
  void keepsNothingOfARequestAfterItsEnd() throws ProtocolException {
    byte[] body = HexFormat.of().parseHex("000174" + "00000007");
    decoder.start(MessageType.PRODUCE, body, 0, body.length);

    decoder.end();

    assertEquals(0, decoder.array().length);
    decoder.start(MessageType.PRODUCE, body, 0, body.length);
    assertEquals("t", decoder.topic());
  }

  @Test
  void refusesWhatThePlainDecoderRefuses() {
    for (String body : List.of("", "00", "0001", "000174000000", "00017480000000", "00fa" + "74".repeat(250) + "00000000")) {
      byte[] bytes = HexFormat.of().parseHex(body);
      ProtocolException fast =
          assertThrows(ProtocolException.class, () -> decoder.start(MessageType.PRODUCE, bytes, 0, bytes.length), body);
      ProtocolException plain =
          assertThrows(ProtocolException.class, () -> Requests.decode(1, bytes, 0, bytes.length, 0), body);
      assertEquals(plain.getMessage(), fast.getMessage());
    }
    byte[] notUtf8 = HexFormat.of().parseHex("0001ff00000000");
    assertThrows(
        ProtocolException.class,
        () -> {
          decoder.start(MessageType.PRODUCE, notUtf8, 0, notUtf8.length);
          decoder.topic();
        });
  }

  @Test
  void randomRecordsComeBackAsTheyWere() throws ProtocolException, InvalidBatchException {
    long seed = TestSeed.get();
    System.out.println("ProduceDecoderTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      RecordBatchBuilder builder = new RecordBatchBuilder(1000);
      int n = 1 + random.nextInt(random.nextInt(20) == 0 ? 20_000 : 100);
      for (int i = 0; i < n; i++) {
        builder.append(5, bytes(random), bytes(random), List.of());
      }
      RecordBatch batch = builder.build();
      TopicPartition partition = new TopicPartition("t".repeat(random.nextInt(250)), random.nextInt(1 << 30));
      for (Request request : List.of(new Produce(partition, batch), new ProduceBatch(partition, batch))) {
        byte[] frame = request.toFrame();
        decoder.start(frame[4], frame, 5, frame.length);
        RecordBatch decoded = decoder.batch(5, false, Allowance.UNLIMITED, Allowance.UNLIMITED);

        assertEquals(batch.buffer(), decoded.buffer(), "seed " + seed + ", round " + round);
        assertEquals(partition, new TopicPartition(decoder.topic(), decoder.partition()));
      }
    }
  }

  /** Just what it copied is left reserved, and nothing where there is no room, or the records are not what they should be. */
  @Test
  void copyIsReservedBeforeItIsMade() throws ProtocolException {
    RecordBatch plain = new RecordBatchBuilder(16).append(5, null, new byte[5000], List.of()).build();
    TopicPartition partition = new TopicPartition("t", 0);
    for (Request request : List.of(new Produce(partition, plain), new ProduceBatch(partition, plain))) {
      byte[] frame = request.toFrame();
      byte[] chunk = Arrays.copyOf(frame, 2 * frame.length);
      decoder.start(frame[4], chunk, 5, frame.length);
      Held none = new Held(5000);
      assertThrows(NoAllowanceException.class, () -> decoder.batch(5, false, Allowance.UNLIMITED, none));
      assertEquals(0, none.bytes);

      Held held = new Held(1 << 20);
      assertEquals(plain.sizeBytes(), decoder.batch(5, false, Allowance.UNLIMITED, held).sizeBytes());
      assertEquals(plain.sizeBytes(), held.bytes);

      Held refused = new Held(1 << 20);
      assertThrows(ProtocolException.class, () -> decoder.batch(5, true, Allowance.UNLIMITED, refused));
      assertEquals(0, refused.bytes);
    }

    byte[] alone = new ProduceBatch(partition, plain).toFrame();
    decoder.start(alone[4], alone, 5, alone.length);
    Held held = new Held(0);
    assertEquals(plain.sizeBytes(), decoder.batch(5, false, Allowance.UNLIMITED, held).sizeBytes(), "it is not copied");
  }

  private static final class Held implements Allowance {
    private final long maxBytes;
    private long bytes;

    Held(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public boolean tryReserve(long more) {
      if (bytes + more > maxBytes) {
        return false;
      }
      bytes += more;
      return true;
    }

    @Override
    public void release(long less) {
      bytes -= less;
    }
  }

  /** The array that the batch keeps is of the batch's size: nothing is charged to no budget. */
  @Test
  void batchTakesNoMoreRoomThanItNeeds() throws ProtocolException, InvalidBatchException {
    byte[] value = new byte[100];
    RecordBatchBuilder builder = new RecordBatchBuilder(16);
    for (int i = 0; i < 10_000; i++) {
      builder.append(5, null, value, List.of());
    }
    byte[] frame = new Produce(new TopicPartition("t", 0), builder.build()).toFrame();
    decoder.start(frame[4], frame, 5, frame.length);

    RecordBatch batch = decoder.batch(5, false, Allowance.UNLIMITED, Allowance.UNLIMITED);

    RecordCursor cursor = batch.cursor();
    assertTrue(cursor.next());
    int room = cursor.array().length - batch.sizeBytes();
    assertTrue(room >= 0 && room <= 16, room + " bytes more than the batch has");
    Record last = batch.records().get(9_999);
    assertEquals(9_999, last.offset());
    assertArrayEquals(value, last.value());
    Arrays.fill(frame, (byte) 1);
    assertArrayEquals(value, last.value());
  }

  private static byte[] bytes(Random random) {
    if (random.nextInt(8) == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(random.nextInt(30) == 0 ? 20_000 : 80)];
    random.nextBytes(bytes);
    return bytes;
  }
}
