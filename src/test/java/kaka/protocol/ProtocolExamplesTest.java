package kaka.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import org.junit.jupiter.api.Test;

/** PROTOCOL.md and the codec say the same, byte for byte. The file's hex was not made by this codec. */
class ProtocolExamplesTest {
  @Test
  void everyMessageEncodesToItsExample() throws IOException {
    Map<String, byte[]> specified = Examples.fromSpecification();
    Map<String, byte[]> encoded = new LinkedHashMap<>();

    Examples.requests().forEach((title, request) -> encoded.put(title, request.toFrame()));
    Examples.responses().forEach((title, response) -> encoded.put(title, response.toFrame()));

    assertEquals(encoded.keySet(), specified.keySet());
    specified.forEach((title, frame) -> assertEquals(hex(frame), hex(encoded.get(title)), title));
  }

  @Test
  void everyExampleDecodesToTheSameMessage() throws IOException, ProtocolException {
    for (Map.Entry<String, byte[]> example : Examples.fromSpecification().entrySet()) {
      byte[] frame = example.getValue();
      FrameCutter cutter = new FrameCutter(1024);
      cutter.feed(frame, 0, frame.length);

      assertTrue(cutter.next(), example.getKey());
      assertEquals(frame.length, cutter.bodyTo(), example.getKey());
      assertEquals(example.getKey().contains("request"), cutter.type() < 0x80, example.getKey());
      assertArrayEquals(frame, Examples.decodeAndEncode(frame), example.getKey());
    }
  }

  /** Records that hold no arrays are compared as values: decoding mixes up no two fields of the same width. */
  @Test
  void decodedMessagesHaveTheFieldsOfTheOriginal() throws ProtocolException {
    Set<Class<?>> withArrays = Set.of(Produce.class, ProduceBatch.class, Records.class, RecordBatches.class);
    for (Request request : Examples.requests().values()) {
      byte[] frame = request.toFrame();
      if (!withArrays.contains(request.getClass())) {
        assertEquals(request, Requests.decode(request.type(), frame, 5, frame.length, 0));
      }
    }
    for (Response response : Examples.responses().values()) {
      byte[] frame = response.toFrame();
      if (!withArrays.contains(response.getClass())) {
        assertEquals(response, Responses.decode(response.type(), frame, 5, frame.length));
      }
    }
  }

  @Test
  void everyMessageTypeHasAnExample() {
    Set<Class<?>> shown = new HashSet<>();
    Examples.requests().values().forEach(request -> shown.add(request.getClass()));
    Examples.responses().values().forEach(response -> shown.add(response.getClass()));

    Set<Class<?>> all = new HashSet<>(List.of(Request.class.getPermittedSubclasses()));
    all.addAll(List.of(Response.class.getPermittedSubclasses()));

    assertEquals(all, shown);
  }

  @Test
  void everyErrorCodeIsInTheSpecification() throws IOException {
    String specification = Files.readString(Path.of("src/main/java/kaka/protocol/PROTOCOL.md"));

    for (ErrorCode error : ErrorCode.values()) {
      assertTrue(specification.contains("| " + error.code() + " | " + error + " |"), error.toString());
      assertEquals(error, ErrorCode.of(error.code()).orElseThrow());
    }
    assertFalse(ErrorCode.of(0).isPresent());
    assertFalse(ErrorCode.of(999).isPresent());
  }

  @Test
  void produceGetsTheBrokersClockAndKeepsNullsApartFromEmpty() throws IOException, ProtocolException, InvalidBatchException {
    byte[] frame = Examples.fromSpecification().get("PRODUCE request");

    Produce produce = (Produce) Requests.decode(frame[4], frame, 5, frame.length, 777);
    Arrays.fill(frame, (byte) 0x55); // the batch owns its bytes
    List<Record> records = produce.batch().records();

    produce.batch().validate();
    assertEquals("orders-0", produce.partition().toString());
    assertEquals(List.of(777L, 777L, 777L), records.stream().map(Record::timestampMs).collect(Collectors.toList()));
    assertArrayEquals("hello".getBytes(), records.get(0).value());
    assertEquals(null, records.get(1).key());
    assertEquals(0, records.get(1).value().length);
    assertEquals(0, records.get(2).key().length);
    assertEquals(null, records.get(2).value());
  }

  @Test
  void producedBatchIsKeptByteForByteInBytesOfItsOwn() throws IOException, ProtocolException, InvalidBatchException {
    byte[] frame = Examples.fromSpecification().get("PRODUCE_BATCH request");

    ProduceBatch produce = (ProduceBatch) Requests.decode(frame[4], frame, 5, frame.length, 0);
    Arrays.fill(frame, (byte) 0x55);

    assertEquals(Examples.batch().buffer(), produce.batch().buffer());
    assertEquals("trace", produce.batch().records().get(0).headers().get(0).key());
  }

  @Test
  void ackAndStreamHeadersAreTheBytesOfTheWholeMessages() {
    byte[] ack = new byte[15];
    assertEquals(14, ProduceAck.encodeFrame(ack, 1, 41));
    assertArrayEquals(new ProduceAck(41).toFrame(), Arrays.copyOfRange(ack, 1, 14));

    byte[] records = Examples.responses().get("RECORDS response").toFrame();
    byte[] header = new byte[Records.FRAME_HEADER_BYTES + Records.RECORD_HEADER_BYTES];
    int at = Records.encodeFrameHeader(ByteBuffer.wrap(header), 0, records.length - Records.FRAME_HEADER_BYTES, 41, 3);
    assertEquals(header.length, Records.encodeRecordHeader(ByteBuffer.wrap(header), at, 41, 2, 5));
    assertArrayEquals(Arrays.copyOf(records, header.length), header);

    byte[] batches = Examples.responses().get("RECORD_BATCHES response").toFrame();
    byte[] batchesHeader = new byte[RecordBatches.FRAME_HEADER_BYTES];
    RecordBatches.encodeFrameHeader(batchesHeader, 0, batches.length - batchesHeader.length, 10, 43);
    assertArrayEquals(Arrays.copyOf(batches, batchesHeader.length), batchesHeader);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
