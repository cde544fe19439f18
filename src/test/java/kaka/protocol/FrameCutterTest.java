package kaka.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

class FrameCutterTest {
  private static final int MAX_FRAME_BYTES = 1 << 20;

  private final FrameCutter cutter = new FrameCutter(MAX_FRAME_BYTES);

  @Test
  void everySplitGivesTheSameFrames() throws ProtocolException {
    byte[] stream = stream();
    List<String> whole = frames(stream, stream.length);
    assertEquals(6, whole.size());

    for (int split = 0; split <= stream.length; split++) {
      FrameCutter twice = new FrameCutter(MAX_FRAME_BYTES);
      List<String> frames = new ArrayList<>();
      feed(twice, stream, 0, split, frames);
      feed(twice, stream, split, stream.length, frames);
      assertEquals(whole, frames, "split at " + split);
      assertEquals(0, twice.bufferedBytes(), "split at " + split);
    }
  }

  @Test
  void chunksOfAnySizeGiveTheSameFrames() throws ProtocolException {
    byte[] stream = stream();
    List<String> whole = frames(stream, stream.length);
    for (int chunkBytes = 1; chunkBytes < 64; chunkBytes++) {
      assertEquals(whole, frames(stream, chunkBytes), "chunks of " + chunkBytes);
    }
  }

  /** Frames of all sizes around the cutter's first room, in chunks of all sizes, stopped at any frame. */
  @Test
  void randomStreamsGiveTheirFrames() throws ProtocolException {
    long seed = TestSeed.get();
    System.out.println("FrameCutterTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        byte[] body = new byte[random.nextInt(random.nextBoolean() ? 20 : 3000)];
        random.nextBytes(body);
        int type = 1 + random.nextInt(255);
        stream.writeBytes(frame(type, body));
        expected.add(type + " " + HexFormat.of().formatHex(body));
      }
      byte[] bytes = stream.toByteArray();
      FrameCutter random1 = new FrameCutter(3001);
      List<String> frames = new ArrayList<>();
      for (int at = 0; at < bytes.length; ) {
        int to = Math.min(bytes.length, at + 1 + random.nextInt(1000));
        byte[] chunk = new byte[to - at + 3];
        System.arraycopy(bytes, at, chunk, 2, to - at);
        feed(random1, chunk, 2, chunk.length - 1, frames);
        at = to;
      }
      assertEquals(expected, frames, "seed " + seed);
    }
  }

  @Test
  void framesWithinAChunkAreNotCopied() throws ProtocolException {
    byte[] stream = stream();
    cutter.feed(stream, 0, stream.length);
    while (cutter.next()) {
      assertSame(stream, cutter.array());
    }
    assertTrue(cutter.isDrained());
  }

  /** The caller stops in the middle of a chunk when its window is full, and goes on later. */
  @Test
  void chunkIsHeldUntilItIsPulled() throws ProtocolException {
    byte[] stream = stream();
    cutter.feed(stream, 0, stream.length);
    assertTrue(cutter.next());

    assertFalse(cutter.isDrained());
    assertThrows(IllegalStateException.class, () -> cutter.feed(stream, 0, 1));
    assertTrue(cutter.next());
  }

  /** What is missing of a frame is filled in as it comes, in pieces of any size; what comes behind it is fed again. */
  @Test
  void filledFramesAreTheSameAsFedOnes() throws Exception {
    byte[] frame = new byte[4 + 1000];
    new Random(TestSeed.get()).nextBytes(frame);
    System.arraycopy(new byte[] {0, 0, 3, (byte) 0xe8, 1}, 0, frame, 0, 5);
    for (int fed = 5; fed < frame.length; fed++) {
      for (int most : new int[] {1, 7, 300, 5000}) {
        FrameCutter filled = new FrameCutter(MAX_FRAME_BYTES);
        filled.feed(frame, 0, fed);
        assertFalse(filled.next());
        int[] at = {fed};
        while (filled.missingBytes() > 0) {
          assertTrue(filled.isDrained());
          assertEquals(frame.length - at[0], filled.missingBytes());
          filled.fill((array, from, size) -> {
            int taken = Math.min(size, most);
            System.arraycopy(frame, at[0], array, from, taken);
            at[0] += taken;
            return taken;
          });
          assertTrue(filled.bufferedBytes() <= Math.max(256, 4 * at[0]), filled.bufferedBytes() + " bytes for " + at[0]);
        }
        assertFalse(filled.isDrained(), "a whole frame waits");
        assertTrue(filled.next());
        assertArrayEquals(frame, Arrays.copyOf(filled.array(), filled.bodyTo()));
        assertTrue(filled.isDrained());
        assertEquals(0, filled.missingBytes());
        filled.feed(frame, 0, frame.length);
        assertTrue(filled.next());
      }
    }
  }

  /** A source that has nothing, as a socket may, changes nothing. */
  @Test
  void fillingWithNothing() throws Exception {
    FrameCutter large = new FrameCutter(64 << 20);
    large.feed(HexFormat.of().parseHex("03c0000001"), 0, 5); // 60 MiB of PRODUCE
    assertFalse(large.next());
    int missing = large.missingBytes();
    assertEquals((60 << 20) - 1, missing);
    assertEquals(0, large.fill((array, from, size) -> 0));
    assertEquals(missing, large.missingBytes());
    assertTrue(large.bufferedBytes() <= 256);
    assertThrows(IllegalStateException.class, () -> cutter.fill((array, from, size) -> 0), "nothing has begun");
  }

  /** A small frame whose length came in parts has more room than it needs: what is read to it is no more than is missing of it. */
  @Test
  void noMoreIsFilledThanIsMissing() throws Exception {
    byte[] frame = frame(1, new byte[100]);
    cutter.feed(frame, 0, 3);
    assertFalse(cutter.next());
    cutter.feed(frame, 3, 6);
    assertFalse(cutter.next());
    int[] asked = {0};

    cutter.fill(
        (array, from, size) -> {
          asked[0] = size;
          return 0;
        });

    assertEquals(frame.length - 6, asked[0]);
  }

  /** Nor does it when it is filled: what is kept follows what has come. */
  @Test
  void declaredLengthAllocatesNothingForWhatIsFilled() throws Exception {
    FrameCutter large = new FrameCutter(64 << 20);
    large.feed(HexFormat.of().parseHex("03c0000001"), 0, 5); // 60 MiB of PRODUCE
    assertFalse(large.next());
    for (int arrived = 5; arrived < 1 << 20; ) {
      arrived += large.fill((array, from, size) -> Math.min(size, 1000));
      assertFalse(large.next());
      assertTrue(large.bufferedBytes() <= Math.max(256, 4 * arrived), large.bufferedBytes() + " bytes for " + arrived);
    }
  }

  /** Frames that were handed out stay as they are while later ones are cut. */
  @Test
  void framesHandedOutAreNotOverwritten() throws ProtocolException {
    List<byte[]> arrays = new ArrayList<>();
    List<String> then = new ArrayList<>();
    List<String> now = new ArrayList<>();
    byte[] stream = stream();
    for (byte b : stream) {
      cutter.feed(new byte[] {b}, 0, 1);
      if (cutter.next()) {
        arrays.add(cutter.array());
        then.add(HexFormat.of().formatHex(cutter.array(), 0, cutter.bodyTo()));
      }
    }
    for (int i = 0; i < arrays.size(); i++) {
      now.add(HexFormat.of().formatHex(arrays.get(i), 0, then.get(i).length() / 2));
    }
    assertEquals(then, now);
  }

  @Test
  void declaredLengthAllocatesNothing() throws ProtocolException {
    FrameCutter large = new FrameCutter(64 << 20);
    byte[] start = HexFormat.of().parseHex("03c0000001"); // 60 MiB of PRODUCE
    large.feed(start, 0, 5);
    assertFalse(large.next());
    assertTrue(large.bufferedBytes() <= 256, large.bufferedBytes() + " bytes for five");

    for (int arrived = 6; arrived < 10_000; arrived++) {
      large.feed(start, 0, 1);
      assertFalse(large.next());
      assertTrue(large.bufferedBytes() <= Math.max(256, 2 * arrived), large.bufferedBytes() + " bytes for " + arrived);
    }
  }

  /** They are joined by whoever has the time; what is kept meanwhile is bounded by what has come, as it is of others. */
  @Test
  void largeFramesComeInPieces() throws Exception {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    FrameCutter pieced = new FrameCutter(8 << 20, true, 1 << 20);
    List<String> expected = new ArrayList<>();
    List<String> frames = new ArrayList<>();
    int inPieces = 0;
    for (int i = 0; i < 12; i++) {
      byte[] body = new byte[random.nextInt(i % 2 == 0 ? 1000 : 5 << 20)];
      random.nextBytes(body);
      byte[] frame = frame(1 + i, body);
      expected.add((1 + i) + " " + frame.length + " " + Arrays.hashCode(frame));
      int[] at = {0};
      while (at[0] < frame.length) {
        int most = 1 + random.nextInt(random.nextInt(10) == 0 ? 10 : 128 << 10);
        if (pieced.missingBytes() > 0 && random.nextBoolean()) {
          pieced.fill(
              (array, from, size) -> {
                int taken = Math.min(size, most);
                System.arraycopy(frame, at[0], array, from, taken);
                at[0] += taken;
                return taken;
              });
        } else {
          int to = Math.min(frame.length, at[0] + most);
          pieced.feed(frame, at[0], to);
          at[0] = to;
        }
        if (!pieced.next()) {
          int kept = pieced.bufferedBytes();
          assertTrue(kept >= at[0] && kept <= Math.max(256, 4 * at[0]), kept + " bytes for " + at[0] + ", seed " + seed);
          continue;
        }
        assertEquals(pieced.isInPieces(), frame.length > 1 << 20, "seed " + seed);
        assertEquals(0, pieced.bufferedBytes());
        if (pieced.isInPieces()) {
          inPieces++;
          pieced.joined(pieced.takePieces().join());
        }
        byte[] whole = Arrays.copyOfRange(pieced.array(), pieced.bodyFrom() - 5, pieced.bodyTo());
        frames.add(pieced.type() + " " + whole.length + " " + Arrays.hashCode(whole));
      }
    }
    assertEquals(expected, frames, "seed " + seed);
    assertTrue(inPieces > 0, "seed " + seed);
  }

  @Test
  void frameInPiecesCanBeGivenUp() throws ProtocolException {
    FrameCutter pieced = new FrameCutter(8 << 20, true, 1 << 20);
    byte[] large = frame(1, new byte[3 << 20]);
    for (int at = 0; at < 2 << 20; at += 128 << 10) {
      pieced.feed(large, at, at + (128 << 10));
      assertFalse(pieced.next());
    }
    assertTrue(pieced.bufferedBytes() > 0);

    pieced.skipPartial();
    assertEquals(0, pieced.bufferedBytes());
    pieced.feed(large, 2 << 20, large.length);
    assertFalse(pieced.next());
    assertFalse(pieced.isInPieces());
    pieced.feed(stream(), 0, 7);
    assertTrue(pieced.next());
    assertEquals(5, pieced.type());
  }

  @Test
  void lengthsBeyondTheLimitAreRefusedBeforeAByteIsKept() {
    assertLost(ErrorCode.TOO_LARGE, "80000000"); // 2 GiB
    assertLost(ErrorCode.TOO_LARGE, "ffffffff");
    assertLost(ErrorCode.TOO_LARGE, "7fffffff01");
    assertLost(ErrorCode.TOO_LARGE, "0010000101");
    assertLost(ErrorCode.BAD_REQUEST, "00000000");
    assertLost(ErrorCode.BAD_REQUEST, "0000000000");
    assertLost(ErrorCode.TOO_LARGE, "0000000105" + "7fffffff"); // the second frame's length is enough
  }

  private static void assertLost(ErrorCode code, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    for (int chunkBytes = 1; chunkBytes <= bytes.length; chunkBytes++) {
      int size = chunkBytes;
      FrameCutter lost = new FrameCutter(MAX_FRAME_BYTES);
      ProtocolException e = assertThrows(ProtocolException.class, () -> feedAll(lost, bytes, size), hex);
      assertEquals(code, e.code(), hex);
      assertEquals("len", e.field());
      assertEquals(0, lost.bufferedBytes());
      assertTrue(lost.isDrained());
    }
  }

  @Test
  void nothingIsCutOnceFramingIsLost() throws ProtocolException {
    byte[] bytes = HexFormat.of().parseHex("ffffffff" + "0000000105");
    cutter.feed(bytes, 0, bytes.length);
    assertThrows(ProtocolException.class, cutter::next);
    assertFalse(cutter.next());

    cutter.feed(bytes, 4, bytes.length);
    assertFalse(cutter.next());
  }

  @Test
  void longestLegalFrameIsTaken() throws ProtocolException {
    byte[] frame = frame(MessageType.PRODUCE, new byte[MAX_FRAME_BYTES - 1]);
    List<String> frames = new ArrayList<>();
    feed(cutter, frame, 0, 3, frames);
    feed(cutter, frame, 3, 100_000, frames);
    feed(cutter, frame, 100_000, frame.length, frames);
    assertEquals(1, frames.size());
  }

  /** Kafka's frames may be longer than ours: they are seen for what they are, not refused for their length. */
  @Test
  void fifthByteZeroIsSeenBeforeTheFrameIsWhole() throws ProtocolException {
    for (String hex : List.of("0000002300", "00000023001200", "7fffffff0000", "0000000100")) {
      byte[] bytes = HexFormat.of().parseHex(hex);
      for (int chunkBytes = 1; chunkBytes <= bytes.length; chunkBytes++) {
        FrameCutter kafka = new FrameCutter(MAX_FRAME_BYTES);
        for (int at = 0; at < bytes.length && kafka.firstTypeByte().isEmpty(); at += chunkBytes) {
          kafka.feed(bytes, at, Math.min(bytes.length, at + chunkBytes));
          assertFalse(kafka.next(), hex);
        }
        assertEquals(OptionalInt.of(0), kafka.firstTypeByte(), hex);
        assertFalse(kafka.next(), hex);
      }
    }
  }

  /** With Kafka's frames cut too, they are like any others: at every split, and no longer than ours may be. */
  @Test
  void kafkasFramesAreCutWhereTheyAreServed() throws ProtocolException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    stream.writeBytes(frame(0, new byte[] {18, 0, 3}));
    stream.writeBytes(frame(0, new byte[500]));
    stream.writeBytes(frame(0, new byte[0]));
    byte[] bytes = stream.toByteArray();
    List<String> whole = feedAll(new FrameCutter(MAX_FRAME_BYTES, true, Integer.MAX_VALUE), bytes, bytes.length);
    assertEquals(3, whole.size());
    for (int chunkBytes = 1; chunkBytes < bytes.length; chunkBytes++) {
      assertEquals(whole, feedAll(new FrameCutter(MAX_FRAME_BYTES, true, Integer.MAX_VALUE), bytes, chunkBytes), "chunks of " + chunkBytes);
    }

    byte[] tooLarge = HexFormat.of().parseHex("7fffffff00");
    FrameCutter kafka = new FrameCutter(MAX_FRAME_BYTES, true, Integer.MAX_VALUE);
    kafka.feed(tooLarge, 0, 4);
    assertFalse(kafka.next()); // not before the protocol is known, which is to answer
    kafka.feed(tooLarge, 4, 5);
    assertThrows(ProtocolException.class, kafka::next);
    assertEquals(OptionalInt.of(0), kafka.firstTypeByte());
  }

  @Test
  void firstTypeIsKnownFromTheFifthByteAndStays() throws ProtocolException {
    byte[] bytes = HexFormat.of().parseHex("0000000205aa" + "0000000100");
    cutter.feed(bytes, 0, 4);
    assertFalse(cutter.next());
    assertEquals(OptionalInt.empty(), cutter.firstTypeByte());

    cutter.feed(bytes, 4, 5);
    assertFalse(cutter.next());
    assertEquals(OptionalInt.of(5), cutter.firstTypeByte());

    cutter.feed(bytes, 5, bytes.length);
    assertTrue(cutter.next());
    assertTrue(cutter.next());
    assertEquals(0, cutter.type()); // an unknown type like any other, on a connection that is ours
    assertEquals(OptionalInt.of(5), cutter.firstTypeByte());
  }

  private static byte[] stream() {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    stream.writeBytes(frame(5, new byte[] {0, 0}));
    stream.writeBytes(frame(0xff, new byte[0]));
    stream.writeBytes(frame(1, "x".repeat(40).getBytes()));
    stream.writeBytes(frame(2, "y".repeat(300).getBytes()));
    stream.writeBytes(frame(0, new byte[] {9}));
    stream.writeBytes(frame(1, new byte[700]));
    return stream.toByteArray();
  }

  private static byte[] frame(int type, byte[] body) {
    return new WireWriter().int32(body.length + 1).int8(type).bytes(body, 0, body.length).toByteArray();
  }

  private static List<String> frames(byte[] stream, int chunkBytes) throws ProtocolException {
    return feedAll(new FrameCutter(MAX_FRAME_BYTES), stream, chunkBytes);
  }

  private static List<String> feedAll(FrameCutter cutter, byte[] stream, int chunkBytes) throws ProtocolException {
    List<String> frames = new ArrayList<>();
    for (int at = 0; at < stream.length; at += chunkBytes) {
      feed(cutter, stream, at, Math.min(stream.length, at + chunkBytes), frames);
    }
    return frames;
  }

  private static void feed(FrameCutter cutter, byte[] array, int from, int to, List<String> frames)
      throws ProtocolException {
    cutter.feed(array, from, to);
    while (cutter.next()) {
      frames.add(cutter.type() + " " + HexFormat.of().formatHex(cutter.array(), cutter.bodyFrom(), cutter.bodyTo()));
    }
    assertTrue(cutter.isDrained());
  }
}
