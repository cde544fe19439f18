package kaka.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Numbers that do not fit Java's signed ones are refused by name or bounded, never wrapped; so are the other illegal values. */
class WireReaderTest {
  private static final String T = "0001 74";
  private static final String ZERO64 = "0000000000000000";
  private static final String BIG64 = "8000000000000000";

  /** Decoding {@code bodyHex} fails on {@code field}; returns the error. */
  static ProtocolException assertRefused(String field, int type, String bodyHex) {
    byte[] body = HexFormat.of().parseHex(bodyHex.replace(" ", ""));
    ProtocolException e = assertThrows(ProtocolException.class, () -> decode(type, body), bodyHex);
    assertEquals(field, e.field(), e.getMessage());
    assertTrue(e.position() >= 0 && e.position() <= body.length, e.getMessage());
    return e;
  }

  private static Object decode(int type, byte[] body) throws ProtocolException {
    return type < 0x80 ? Requests.decode(type, body, 0, body.length, 0) : Responses.decode(type, body, 0, body.length);
  }

  private static Object decode(int type, String bodyHex) throws ProtocolException {
    return decode(type, HexFormat.of().parseHex(bodyHex.replace(" ", "")));
  }

  @Test
  void offsetsFromTwoToThe63OnAreRefused() {
    ProtocolException e = assertRefused("offset", MessageType.FETCH, T + "00000000" + BIG64 + "00000001");
    assertEquals("offset at byte 7: 9223372036854775808 is 2^63 or more", e.getMessage());
    assertEquals(ErrorCode.BAD_REQUEST, e.code());
    assertEquals(7, e.position());

    assertRefused("offset", MessageType.FETCH_BATCHES, T + "00000000" + "ffffffffffffffff" + "00000001");
    assertRefused("offset", MessageType.COMMIT, T + T + "00000000" + "ffffffffffffffff");
    assertRefused("base_offset", MessageType.PRODUCE_ACK, BIG64);
    assertRefused("base_offset", MessageType.RECORDS, BIG64 + "00000000");
    assertRefused("offset", MessageType.RECORDS, ZERO64 + "00000001" + BIG64 + "00000000 00000000");
    assertRefused("offset", MessageType.OFFSET, "fffffffffffffffe");
    assertRefused("offset", MessageType.OFFSET_FOR_TIME_REPLY, "ffffffffffffffff");
    assertRefused("log_start_offset", MessageType.RECORD_BATCHES, BIG64 + BIG64);
    assertRefused("high_watermark", MessageType.RECORD_BATCHES, ZERO64 + BIG64);
  }

  @Test
  void partitionsFromTwoToThe31OnAreRefused() {
    assertEquals(
        "partition at byte 3: 2147483648 is 2^31 or more",
        assertRefused("partition", MessageType.FETCH, T + "80000000" + ZERO64 + "00000001").getMessage());
    assertRefused("partition", MessageType.PRODUCE, T + "80000000 00000001 00000000 00000000");
    assertRefused("partition", MessageType.PRODUCE_BATCH, T + "ffffffff");
    assertRefused("partition", MessageType.OFFSETS, T + T + "ffffffff");
    assertRefused("partitions", MessageType.CREATE_TOPIC, T + "80000000 0000");
  }

  @Test
  void lengthsFromTwoToThe31OnAreRefusedUnlessNull() throws ProtocolException {
    for (String length : new String[] {"80000000", "fffffffe", "7fffffff", "00000001"}) {
      assertRefused("key_len", MessageType.PRODUCE, T + "00000000 00000001" + length + "00000000");
      assertRefused("value_len", MessageType.PRODUCE, T + "00000000 00000001 00000000" + length);
      assertRefused(
          length.equals("00000001") ? "key" : "key_len",
          MessageType.RECORDS,
          ZERO64 + "00000001" + ZERO64 + length + (length.equals("00000001") ? "ffffffff" : "00000000"));
    }
    assertEquals(1, ((Produce) decode(1, T + "00000000 00000001 ffffffff ffffffff")).batch().recordCount());
  }

  /** Two lengths whose sum wraps an int. */
  @Test
  void lengthsThatWrapTogetherAreRefused() {
    assertRefused("value_len", MessageType.PRODUCE, T + "00000000 00000001 00000004 7ffffffe 00000000");
    assertRefused("key_len", MessageType.PRODUCE, T + "00000000 00000001 7fffffff 7fffffff 00000000");
  }

  @Test
  void fetchLimitsAreBoundedNotWrapped() throws ProtocolException {
    Fetch most = (Fetch) decode(MessageType.FETCH, T + "00000000" + ZERO64 + "80000000 ffffffff 90000000");
    assertEquals(Integer.MAX_VALUE, most.maxBytes());
    assertEquals(Integer.MAX_VALUE, most.maxWaitMs());
    assertEquals(Integer.MAX_VALUE, most.minBytes());

    Fetch standard = (Fetch) decode(MessageType.FETCH, T + "00000000" + ZERO64 + "00000000");
    assertEquals(64 * 1024, standard.maxBytes());
    assertEquals(0, standard.maxWaitMs());
    assertEquals(0, standard.minBytes());
  }

  @Test
  void fetchTailIsThereWhollyOrNotAtAll() {
    assertRefused("min_bytes", MessageType.FETCH, T + "00000000" + ZERO64 + "00000001 00000001");
    assertRefused("max_wait_ms", MessageType.FETCH, T + "00000000" + ZERO64 + "00000001 0001");
    assertRefused("end", MessageType.FETCH, T + "00000000" + ZERO64 + "00000001 00000001 00000001 00");
  }

  @Test
  void windowBytesUseAllOfTheirU32() throws ProtocolException {
    HelloReply all = new HelloReply(1, 1, Long.MAX_VALUE, 1, 1, new UUID(0, 0), "");
    byte[] frame = all.toFrame();
    assertEquals(0xffff_ffffL, all.windowBytes());
    assertEquals(all, Responses.decode(frame[4] & 0xff, frame, 5, frame.length));

    assertRefused("window_requests", MessageType.HELLO_REPLY, "0001 00000000 00000001 00000001 00000001" + "00".repeat(18));
    assertRefused("window_requests", MessageType.HELLO_REPLY, "0001 80000000 00000001 00000001 00000001" + "00".repeat(18));
    assertRefused("window_bytes", MessageType.HELLO_REPLY, "0001 00000001 00000000 00000001 00000001" + "00".repeat(18));
  }

  @Test
  void topicsHaveUpTo249BytesOfUtf8() throws ProtocolException {
    assertEquals("", ((DeleteTopic) decode(MessageType.DELETE_TOPIC, "0000")).topic());
    assertEquals("t".repeat(249), ((DeleteTopic) decode(MessageType.DELETE_TOPIC, "00f9" + "74".repeat(249))).topic());
    assertRefused("topic", MessageType.DELETE_TOPIC, "00fa" + "74".repeat(250));
    assertRefused("topic", MessageType.DELETE_TOPIC, "0002 c328"); // a lead byte without its continuation
    assertRefused("topic", MessageType.DELETE_TOPIC, "0002 c080"); // an overlong zero
    assertRefused("topic", MessageType.DELETE_TOPIC, "0003 eda080"); // a lone surrogate
    assertThrows(IllegalArgumentException.class, () -> new DeleteTopic("t".repeat(250)));
    assertThrows(IllegalArgumentException.class, () -> new DeleteTopic("\u00e9".repeat(125)));
    assertEquals(249, new DeleteTopic("\u20ac".repeat(83)).toFrame().length - 7);
  }

  @Test
  void unknownTypesAreUnsupported() {
    for (int type : new int[] {0, 0x50, 0x7f}) {
      assertEquals(ErrorCode.UNSUPPORTED, assertRefused("type", type, "00").code());
    }
    for (int type : new int[] {0x80, 0x8b, 0xd0, 0xfe}) {
      assertEquals(ErrorCode.UNSUPPORTED, assertRefused("type", type, "00").code());
    }
  }

  @Test
  void illegalValuesAreRefused() {
    assertRefused("max_version", MessageType.HELLO, "0002 0001 0000 0000");
    assertRefused("wants", MessageType.HELLO, "0001 0001 0000 0000 00");
    assertRefused("wants", MessageType.HELLO, "0001 0001 0000 0000 02");
    assertRefused("name", MessageType.CREATE_TOPIC, T + "00000001 0002 0001 61 0000 0001 61 0001 62");
    assertRefused("timestamp_ms", MessageType.OFFSET_FOR_TIME, T + "00000000 fffffffffffffffd");
    assertRefused("partitions", MessageType.CREATE_TOPIC_REPLY, "00".repeat(16) + "00000000");
    assertRefused("source", MessageType.DESCRIBE_TOPIC_REPLY, "00".repeat(16) + "0001 0000 0000 02 00000000");
    assertRefused(
        "state", MessageType.DESCRIBE_TOPIC_REPLY, "00".repeat(16) + "0000 00000001 00000000 03" + "00".repeat(26));
    assertRefused("code", MessageType.ERROR, "0000 61");
    String record = "00000000 00000000";
    assertRefused("offset", MessageType.RECORDS, "0000000000000005 00000001 0000000000000004" + record);
    assertRefused("offset", MessageType.RECORDS, ZERO64 + "00000002" + ZERO64 + record + ZERO64 + record);
    assertRefused("offset", MessageType.RECORDS, ZERO64 + "00000001 7fffffffffffffff" + record);
    assertRefused("high_watermark", MessageType.RECORD_BATCHES, "0000000000000002 0000000000000001");
  }

  @Test
  void batchesWithFeaturesWeLackAreUnsupported() {
    assertUnsupported("compression codec 5", frame -> frame[17 + 22] = 5);
    assertUnsupported("unknown bits", frame -> frame[17 + 22] = 0x40);
    assertUnsupported("unknown bits", frame -> frame[17 + 21] = 0x01);
    assertUnsupported("transactional and control", frame -> frame[17 + 22] = 0x10);
    assertUnsupported("transactional and control", frame -> frame[17 + 22] = 0x20);
  }

  private static void assertUnsupported(String what, Consumer<byte[]> change) {
    ProtocolException e = producedBatch(change);
    assertEquals(ErrorCode.UNSUPPORTED, e.code(), e.getMessage());
    assertTrue(e.getMessage().contains(what), e.getMessage());
  }

  @Test
  void batchesThatLieAboutThemselvesAreRefused() {
    assertRefusedBatch("producer id 7, epoch -1, sequence -1", frame -> BigEndian.int64(frame, 17 + 43, 7));
    assertRefusedBatch("producer id -2", frame -> BigEndian.int64(frame, 17 + 43, -2));
    assertRefusedBatch("max_timestamp", frame -> BigEndian.int64(frame, 17 + 35, Long.MAX_VALUE));
    assertRefusedBatch("timestamp -", frame -> BigEndian.int64(frame, 17 + 27, -3));
    assertRefusedBatch("record count 0", frame -> BigEndian.int32(frame, 17 + 57, 0));
    assertRefusedBatch("record count -1", frame -> BigEndian.int32(frame, 17 + 57, -1));
    assertRefusedBatch("last offset delta", frame -> BigEndian.int32(frame, 17 + 23, 2));
    assertRefusedBatch("no gzip data", frame -> frame[17 + 22] = 1);
    assertRefusedBatch("magic 1", frame -> frame[17 + 16] = 1);
    assertRefusedBatch("bytes after the batch", frame -> BigEndian.int32(frame, 17 + 8, 80));
    assertRefusedBatch("cut short", frame -> BigEndian.int32(frame, 17 + 8, 86));
    assertRefusedBatch("cut short", frame -> BigEndian.int32(frame, 17 + 8, Integer.MAX_VALUE));
    byte[] frame = Examples.requests().get("PRODUCE_BATCH request").toFrame();
    frame[frame.length - 2] ^= 1;
    ProtocolException e =
        assertThrows(ProtocolException.class, () -> Requests.decode(frame[4], frame, 5, frame.length, 0));
    assertTrue(e.getMessage().contains("CRC32C"), e.getMessage());
  }

  private static void assertRefusedBatch(String what, Consumer<byte[]> change) {
    ProtocolException e = producedBatch(change);
    assertEquals(ErrorCode.BAD_REQUEST, e.code(), e.getMessage());
    assertTrue(e.getMessage().contains(what), e.getMessage());
  }

  /** The error for the PRODUCE_BATCH example, changed, with a CRC that fits the change. */
  private static ProtocolException producedBatch(Consumer<byte[]> change) {
    byte[] frame = Examples.requests().get("PRODUCE_BATCH request").toFrame();
    change.accept(frame);
    CRC32C crc = new CRC32C();
    crc.update(frame, 17 + 21, frame.length - 17 - 21);
    BigEndian.int32(frame, 17 + 17, (int) crc.getValue());
    return assertThrows(ProtocolException.class, () -> Requests.decode(frame[4], frame, 5, frame.length, 0));
  }

  @Test
  void errorReportsAreCutNotRefused() throws ProtocolException {
    ErrorReply reply = new ErrorReply(ErrorCode.STORAGE, "x".repeat(100_000));
    assertEquals(Limits.MESSAGE_CHARS, reply.message().length());
    assertEquals(ErrorCode.STORAGE, reply.error().orElseThrow());
    assertTrue(((ErrorReply) decode(MessageType.ERROR, "7fff 61")).error().isEmpty());
    assertEquals(OptionalLong.empty(), ((CommittedOffset) decode(MessageType.OFFSET, "ffffffffffffffff")).offset());
  }
}
