package kaka.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;
import kaka.TestSeed;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** Whatever the bytes, decoding gives a valid message or a ProtocolException, and takes memory in proportion to the bytes. */
class HostileBytesTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** An object or two per byte, as for a list of empty names, and the writing of an error message. */
  private static final long BYTES_PER_FRAME_BYTE = 64;

  private static final long BYTES_PER_FRAME = 16 * 1024;

  @Test
  void everyTruncationIsRefused() throws IOException {
    Map<String, Set<Integer>> shorterButWhole =
        Map.of(
            "HELLO request that wants a producer id", Set.of(1),
            "HELLO response with a producer id", Set.of(10),
            "FETCH request that waits", Set.of(8), // bytes cut off: the optional tail
            "FETCH_BATCHES request", Set.of(8),
            "ERROR response", Set.of(1, 2, 3, 4, 5, 6, 7, 8), // its message goes to the frame's end
            "RECORD_BATCHES response", Set.of(97)); // its batches go to the frame's end
    for (Map.Entry<String, byte[]> example : Examples.fromSpecification().entrySet()) {
      byte[] frame = example.getValue();
      for (int size = 5; size < frame.length; size++) {
        byte[] cut = Arrays.copyOf(frame, size);
        if (!shorterButWhole.getOrDefault(example.getKey(), Set.of()).contains(frame.length - size)) {
          assertThrows(
              ProtocolException.class, () -> Examples.decodeAndEncode(cut), example.getKey() + " cut to " + size);
        }
      }
    }
  }

  @Test
  void everyByteTooManyIsRefused() throws IOException {
    for (Map.Entry<String, byte[]> example : Examples.fromSpecification().entrySet()) {
      byte[] longer = Arrays.copyOf(example.getValue(), example.getValue().length + 1);
      if (!example.getKey().equals("ERROR response")) {
        assertThrows(ProtocolException.class, () -> Examples.decodeAndEncode(longer), example.getKey());
      }
    }
  }

  @Test
  void aMillionRandomAndMutatedFramesGiveMessagesOrProtocolExceptions() throws IOException {
    long seed = TestSeed.get();
    System.out.println("HostileBytesTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    List<byte[]> examples = new ArrayList<>(Examples.fromSpecification().values());
    int valid = 0;

    for (int i = 0; i < 1_000_000; i++) {
      byte[] frame = i % 4 == 0 ? random(random) : mutated(examples.get(random.nextInt(examples.size())), random);
      valid += decodesOrIsRefused(frame, "seed " + seed + ", frame " + i) ? 1 : 0;
    }

    assertTrue(valid > 50_000, valid + " frames were valid: too few to have reached far");
    assertTrue(valid < 900_000, valid + " frames were valid: too many to have been refused anything");
  }

  private static boolean decodesOrIsRefused(byte[] frame, String what) {
    try {
      checkAllocation(frame, what);
      int type = frame[4] & 0xff;
      if (type < 0x80) {
        byte[] again = Requests.decode(type, frame, 5, frame.length, Examples.NOW_MS).toFrame();
        assertArrayEquals(again, Examples.decodeAndEncode(again), what);
      } else {
        Response response = Responses.decode(type, frame, 5, frame.length);
        byte[] again = response.toFrame();
        assertArrayEquals(again, Examples.decodeAndEncode(again), what);
        if (response instanceof RecordBatches batches) {
          readAll(batches);
        }
      }
      return true;
    } catch (ProtocolException e) {
      return false;
    } catch (RuntimeException | AssertionError e) {
      return fail(what + ": " + HexFormat.of().formatHex(frame), e);
    }
  }

  /** What a client does next with batches whose contents are only checked by their cursors. */
  private static void readAll(RecordBatches batches) {
    for (RecordBatch batch : batches.batches()) {
      try {
        if (!batch.isCompressed()) {
          batch.records();
        }
      } catch (InvalidBatchException e) {
        assertTrue(e.position() >= 0);
      }
    }
  }

  /** What decoding allocates; measured again where it was much, since the JVM may have linked something the first time. */
  private static void checkAllocation(byte[] frame, String what) {
    long most = BYTES_PER_FRAME + BYTES_PER_FRAME_BYTE * frame.length;
    if (allocatedBytes(frame) > most) {
      long allocated = allocatedBytes(frame);
      assertTrue(allocated <= most, what + " allocated " + allocated + " for " + frame.length);
    }
  }

  private static long allocatedBytes(byte[] frame) {
    int type = frame[4] & 0xff;
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      if (type < 0x80) {
        Requests.decode(type, frame, 5, frame.length, Examples.NOW_MS);
      } else {
        Responses.decode(type, frame, 5, frame.length);
      }
    } catch (ProtocolException e) {
      assertEquals(0, e.getStackTrace().length);
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static byte[] random(Random random) {
    byte[] frame = new byte[5 + random.nextInt(120)];
    random.nextBytes(frame);
    for (int i = 5; i < frame.length; i++) {
      if (random.nextInt(3) > 0) { // small numbers reach further than large ones
        frame[i] = (byte) random.nextInt(3);
      }
    }
    if (random.nextInt(10) > 0) {
      frame[4] = (byte) (random.nextInt(16) | (random.nextBoolean() ? 0x80 : 0));
    }
    return frame;
  }

  private static byte[] mutated(byte[] example, Random random) {
    byte[] frame = example.clone();
    for (int changes = 1 + random.nextInt(3); changes > 0 && frame.length > 5; changes--) {
      int at = 5 + random.nextInt(frame.length - 5);
      switch (random.nextInt(6)) {
        case 0 -> frame[at] = (byte) random.nextInt();
        case 1 -> frame[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> frame[at] = (byte) (random.nextBoolean() ? 0xff : 0);
        case 3 -> Arrays.fill(frame, at, Math.min(frame.length, at + 4), (byte) (random.nextBoolean() ? 0xff : 0x7f));
        case 4 -> frame = Arrays.copyOf(frame, 5 + random.nextInt(frame.length));
        default -> System.arraycopy(frame, 5, frame, at, Math.min(frame.length - at, 1 + random.nextInt(8)));
      }
    }
    if (random.nextBoolean()) {
      fixCrc(frame);
    }
    return frame;
  }

  /** Makes the CRC of a batch right again, so that the checks behind it are reached. */
  private static void fixCrc(byte[] frame) {
    int start = frame[4] == MessageType.PRODUCE_BATCH ? 5 + 12 : frame[4] == (byte) MessageType.RECORD_BATCHES ? 21 : 0;
    if (start > 0 && frame.length >= start + 61) {
      CRC32C crc = new CRC32C();
      crc.update(frame, start + 21, frame.length - start - 21);
      BigEndian.int32(frame, start + 17, (int) crc.getValue());
    }
  }

  /** A count that the frame cannot hold is refused before room is made for it. */
  @Test
  void hostileCountsAllocateNothing() {
    WireReaderTest.assertRefused("n", MessageType.PRODUCE, "0001 74 00000000 7fffffff 00000000 00000000");
    WireReaderTest.assertRefused("n", MessageType.PRODUCE, "0001 74 00000000 80000000 00000000 00000000");
    WireReaderTest.assertRefused("n", MessageType.PRODUCE, "0001 74 00000000 ffffffff 00000000 00000000");
    WireReaderTest.assertRefused("n", MessageType.PRODUCE, "0001 74 00000000 00000000");
    WireReaderTest.assertRefused("n", MessageType.METADATA, "ffff 0000");
    WireReaderTest.assertRefused("n", MessageType.CREATE_TOPIC, "0001 74 00000001 ffff 0000 0000");
    WireReaderTest.assertRefused("n", MessageType.RECORDS, "0000000000000000 7fffffff 00");
    WireReaderTest.assertRefused("n", MessageType.RECORDS, "0000000000000000 ffffffff 00");
    WireReaderTest.assertRefused("n", MessageType.RECORDS, "0000000000000000 10000000 00"); // times 16 it wraps to 0
    WireReaderTest.assertRefused("n", MessageType.METADATA_REPLY, "7fffffff 00");
    WireReaderTest.assertRefused("n", MessageType.METADATA_REPLY, "0aaaaaab" + "00".repeat(8)); // times 24 it wraps to 8
    WireReaderTest.assertRefused("partitions", MessageType.DESCRIBE_TOPIC_REPLY, "00".repeat(16) + "0000 7fffffff 00");
    WireReaderTest.assertRefused("n", MessageType.DESCRIBE_TOPIC_REPLY, "00".repeat(16) + "ffff 00");

    byte[] body = HexFormat.of().parseHex("00000000" + "01" + "000174" + "00000000" + "7fffffff");
    checkAllocation(body, "2^31 - 1 records in no bytes");
  }
}
