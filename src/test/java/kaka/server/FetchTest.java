package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.protocol.Response;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.RecordCursor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a fetch returns, how long it waits, and what it holds meanwhile. */
class FetchTest {
  private TestBroker broker;
  private RawConnection connection;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.log.segment-bytes = 4KiB, kaka.log.retention-check-interval = 50ms");
    connection = new RawConnection(broker.address());
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    broker.awaitBudgetEmpty();
    broker.close();
  }

  /** 16 bytes of header and 10 of value each, behind 17 of the frame: what fits is exact to the byte. */
  @Test
  void maxBytesBoundsTheFrame() throws Exception {
    for (int i = 0; i < 10; i++) {
      connection.ask(produce(ORDERS, 10));
    }
    assertEquals(1, count(1));
    assertEquals(1, count(17 + 26));
    assertEquals(1, count(17 + 2 * 26 - 1));
    assertEquals(2, count(17 + 2 * 26));
    assertEquals(9, count(17 + 10 * 26 - 1));
    assertEquals(10, count(17 + 10 * 26));
    assertEquals(10, count(1 << 30));
  }

  private int count(int maxBytes) throws Exception {
    Records records = (Records) connection.ask(new Fetch(ORDERS, 0, maxBytes, 0, 0));
    int size = records.toFrame().length;
    assertTrue(size <= maxBytes || records.entries().size() == 1, size + " bytes");
    return records.entries().size();
  }

  @Test
  void nothingToReadIsAnEmptyAnswer() throws Exception {
    assertEquals(new Records(0, List.of()), connection.ask(fetch(ORDERS, 0)));
    assertEquals(new Records(7, List.of()), connection.ask(fetch(ORDERS, 7)));
    connection.ask(produce(ORDERS, "a"));
    assertEquals(new Records(1, List.of()), connection.ask(fetch(ORDERS, 1)));
    assertEquals(new Records(Long.MAX_VALUE, List.of()), connection.ask(fetch(ORDERS, Long.MAX_VALUE)));
    assertEquals(new RecordBatches(0, 1, List.of()), connection.ask(new FetchBatches(fetch(ORDERS, 5))));
  }

  @Test
  void nullsAndEmptiesComeBack() throws Exception {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    builder.append(0, null, new byte[0], List.of());
    builder.append(0, new byte[0], null, List.of());
    builder.append(0, null, null, List.of());
    connection.ask(new Produce(ORDERS, builder.build()));

    List<Records.Entry> entries = ((Records) connection.ask(fetch(ORDERS, 0))).entries();

    assertNull(entries.get(0).key());
    assertArrayEquals(new byte[0], entries.get(0).value());
    assertArrayEquals(new byte[0], entries.get(1).key());
    assertNull(entries.get(1).value());
    assertNull(entries.get(2).key());
    assertNull(entries.get(2).value());
  }

  /** Key and value larger than a slice, in a batch of several: whatever max_bytes says, it goes through small windows. */
  @Test
  void recordsLargerThanASliceComeWhole() throws Exception {
    Random random = new Random(5);
    byte[] key = new byte[5 << 20];
    byte[] value = new byte[5 << 20];
    random.nextBytes(key);
    random.nextBytes(value);
    RecordBatchBuilder builder = new RecordBatchBuilder(11 << 20);
    builder.append(0, null, new byte[] {1}, List.of());
    builder.append(0, key, value, List.of());
    builder.append(0, null, new byte[] {2}, List.of());
    connection.ask(new Produce(ORDERS, builder.build()));

    for (int maxBytes : new int[] {1, 4096, 1 << 20, 64 << 20}) {
      Records.Entry large = ((Records) connection.ask(new Fetch(ORDERS, 1, maxBytes, 0, 0))).entries().get(0);
      assertArrayEquals(key, large.key());
      assertArrayEquals(value, large.value());
      RecordBatches batches = (RecordBatches) connection.ask(new FetchBatches(new Fetch(ORDERS, 2, maxBytes, 0, 0)));
      assertEquals(3, batches.batches().get(0).recordCount());
    }
  }

  @Test
  void belowTheLogStartIsAnsweredFromTheOldest() throws Exception {
    connection.ask(new CreateTopic("orders", 1, Map.of("retention.bytes", "8192")));
    for (int i = 0; i < 40; i++) {
      connection.ask(produce(ORDERS, 1000));
    }
    TestBroker.awaitTrue("retention took some", () -> logStart() > 0);

    Records records = (Records) connection.ask(fetch(ORDERS, 0));
    assertEquals(0, records.baseOffset());
    assertTrue(records.entries().get(0).offset() > 0);
    assertEquals(39, records.entries().get(records.entries().size() - 1).offset());
    RecordBatches batches = (RecordBatches) connection.ask(new FetchBatches(fetch(ORDERS, 0)));
    assertEquals(batches.logStartOffset(), batches.batches().get(0).baseOffset());
  }

  private long logStart() {
    try {
      return ((DescribeTopicReply) connection.ask(new DescribeTopic("orders"))).partitions().get(0).logStartOffset();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Random batches over many segments, random fetches of both kinds: always what a list in memory says. */
  @Test
  void anyFetchIsWhatTheListSays() throws Exception {
    long seed = TestSeed.get();
    System.out.println("anyFetchIsWhatTheListSays seed " + seed);
    Random random = new Random(seed);
    List<byte[]> model = new ArrayList<>();
    List<Integer> batchOf = new ArrayList<>(); // base offset of each record's batch
    for (int b = 0; b < 150; b++) {
      RecordBatchBuilder builder = new RecordBatchBuilder(256);
      int base = model.size();
      for (int i = 1 + random.nextInt(5); i > 0; i--) {
        byte[] value = new byte[random.nextInt(random.nextInt(20) == 0 ? 9000 : 300)];
        random.nextBytes(value);
        builder.append(0, null, value, List.of());
        model.add(value);
        batchOf.add(base);
      }
      assertEquals(new ProduceAck(base), connection.ask(new Produce(ORDERS, builder.build())));
    }
    for (int round = 0; round < 400; round++) {
      int offset = random.nextInt(model.size());
      int maxBytes = 1 + random.nextInt(random.nextBoolean() ? 500 : 50_000);
      Fetch fetch = new Fetch(ORDERS, offset, maxBytes, 0, 0);
      String what = "offset " + offset + ", max_bytes " + maxBytes;
      assertRecords(model, (Records) connection.ask(fetch), offset, maxBytes, what);
      assertBatches(model, batchOf, (RecordBatches) connection.ask(new FetchBatches(fetch)), offset, maxBytes, what);
    }
  }

  private static void assertRecords(List<byte[]> model, Records records, int offset, int maxBytes, String what) {
    int size = 17;
    int next = offset;
    while (next < model.size() && (next == offset || size + 16 + model.get(next).length <= maxBytes)) {
      size += 16 + model.get(next++).length;
    }
    assertEquals(next - offset, records.entries().size(), what);
    for (int i = 0; i < records.entries().size(); i++) {
      assertEquals(offset + i, records.entries().get(i).offset(), what);
      assertArrayEquals(model.get(offset + i), records.entries().get(i).value(), what);
    }
  }

  private static void assertBatches(
      List<byte[]> model, List<Integer> batchOf, RecordBatches batches, int offset, int maxBytes, String what)
      throws Exception {
    assertEquals(batchOf.get(offset).longValue(), batches.batches().get(0).baseOffset(), what);
    int size = 0;
    long next = batchOf.get(offset);
    for (RecordBatch batch : batches.batches()) {
      size += batch.sizeBytes();
      RecordCursor cursor = batch.cursor();
      while (cursor.next()) {
        assertEquals(next, cursor.offset(), what);
        assertArrayEquals(model.get((int) next++), cursor.record().value(), what);
      }
    }
    assertTrue(size <= maxBytes || batches.batches().size() == 1, what);
    assertEquals(model.size(), batches.highWatermark());
  }

  @Test
  void waitIsEndedByAProduceOfAnother() throws Exception {
    connection.ask(produce(ORDERS, "a"));
    connection.send(waiting(ORDERS, 1));
    try (RawConnection other = new RawConnection(broker.address())) {
      other.ask(produce(ORDERS, "b"));
    }
    assertEquals(1, ((Records) connection.receive()).entries().get(0).offset());
  }

  @Test
  void waitGoesOnUntilThereAreMinBytes() throws Exception {
    connection.ask(produce(ORDERS, "a"));
    connection.send(new Fetch(ORDERS, 0, 1 << 20, 60_000, 2000));
    try (RawConnection other = new RawConnection(broker.address())) {
      other.ask(produce(ORDERS, 500));
      other.ask(produce(ORDERS, 500));
      other.ask(produce(ORDERS, 2000));
    }
    assertEquals(4, ((Records) connection.receive()).entries().size());
  }

  @Test
  void waitIsOverWhenItsTimeIs() throws Exception {
    connection.ask(produce(ORDERS, "a"));
    assertEquals(new Records(1, List.of()), connection.ask(new Fetch(ORDERS, 1, 1 << 20, 1, 1)));
    assertEquals(1, ((Records) connection.ask(new Fetch(ORDERS, 0, 1 << 20, 1, 1 << 20))).entries().size());
  }

  @Test
  void waitIsEndedByTheTopicsDeletion() throws Exception {
    connection.ask(produce(ORDERS, "a"));
    connection.send(waiting(ORDERS, 1));
    try (RawConnection other = new RawConnection(broker.address())) {
      other.ask(new DeleteTopic("orders"));
    }
    assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.receive());
  }

  /** A client that leaves while its fetch waits: the connection ends with it, whatever it had asked for. */
  @Test
  void waitIsEndedByTheClientsLeaving() throws Exception {
    connection.ask(produce(ORDERS, "a"));
    long before = broker.actorCount();
    try (RawConnection leaving = new RawConnection(broker.address())) {
      leaving.ask(produce(ORDERS, "b"));
      leaving.send(waiting(ORDERS, 2));
    }
    TestBroker.awaitTrue("its actors are gone", () -> broker.actorCount() <= before);
  }

  /** A reader that stops reading in the middle of 64 MiB holds its slices; others read and write the same partition. */
  @Test
  void slowReaderHoldsItsSlicesAlone() throws Exception {
    for (int i = 0; i < 16; i++) {
      connection.ask(produce(ORDERS, 4 << 20));
    }
    try (RawConnection slow = new RawConnection(broker.address())) {
      slow.send(new Fetch(ORDERS, 0, 64 << 20, 0, 0));
      DataInputStream in = new DataInputStream(slow.socket().getInputStream());
      int length = in.readInt();
      assertTrue(length > 60 << 20, length + " bytes");
      for (int i = 0; i < 50; i++) {
        assertInstanceOf(ProduceAck.class, connection.ask(produce(ORDERS, 10)));
        assertEquals(1, ((Records) connection.ask(fetch(ORDERS, 16 + i))).entries().size());
      }
      TestBroker.awaitTrue("a slice sent, one read ahead, and the window", () -> broker.memory().usedBytes() == 3 << 20);
      in.skipNBytes(length);
      Response next = slow.ask(fetch(ORDERS, 16));
      assertEquals(50, ((Records) next).entries().size());
    }
  }

  /** Around the sizes where the slices that may be held are full, with small records, large ones, and both: nothing is lost. */
  @Test
  void answersOfOneToManySlicesAreWhole() throws Exception {
    try (TestBroker largeSegments = TestBroker.start("");
        RawConnection reader = new RawConnection(largeSegments.address())) {
      assertAnswersAreWhole(reader);
      largeSegments.awaitBudgetEmpty();
    }
  }

  private static void assertAnswersAreWhole(RawConnection reader) throws Exception {
    Random random = new Random(3);
    List<byte[]> model = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      byte[][] values = new byte[1 + random.nextInt(i % 3 == 0 ? 4000 : 3)][];
      for (int j = 0; j < values.length; j++) {
        values[j] = new byte[random.nextInt(i % 3 == 0 ? 30 : i % 3 == 1 ? 100_000 : 600_000)];
        random.nextBytes(values[j]);
        model.add(values[j]);
      }
      reader.ask(new Produce(ORDERS, Requesting.batch(values)));
    }
    for (int maxBytes : new int[] {5000, 255 << 10, 256 << 10, 300_000, 768 << 10, 1 << 20, 3 << 20, 64 << 20}) {
      for (int offset = 0; offset < model.size(); ) {
        List<Records.Entry> entries = ((Records) reader.ask(new Fetch(ORDERS, offset, maxBytes, 0, 0))).entries();
        assertTrue(entries.size() > 0);
        long size = 17;
        for (Records.Entry entry : entries) {
          assertEquals(offset, entry.offset());
          assertArrayEquals(model.get(offset), entry.value(), "offset " + offset + " of " + maxBytes);
          size += 16 + entry.value().length;
          offset++;
        }
        assertTrue(size <= maxBytes || entries.size() == 1, size + " bytes of " + maxBytes);
        long withNext = offset == model.size() ? Long.MAX_VALUE : size + 16 + model.get(offset).length;
        assertTrue(withNext > maxBytes, withNext + " bytes would have fitted in " + maxBytes + " at " + offset);
        if (maxBytes < 100_000) {
          offset += random.nextInt(3000); // or it would take all day
        }
      }
    }
  }

  /** What an answer is made in is used again for the next, but not before the client's kernel, or ours, has it. */
  @Test
  void largeAnswersToClientsThatReadSlowlyAreWhatWasStored() throws Exception {
    Random random = new Random(TestSeed.get());
    try (TestBroker largeSegments = TestBroker.start("");
        RawConnection one = new RawConnection(largeSegments.address());
        RawConnection other = new RawConnection(largeSegments.address())) {
      List<byte[]> values = Requesting.produceLarge(one, random);
      int[] froms = new int[40];
      for (int i = 0; i < froms.length; i++) {
        froms[i] = random.nextInt(values.size() - 12);
        Fetch fetch = new Fetch(ORDERS, froms[i], i % 4 == 0 ? 4 << 20 : 1 << 20, 0, 0);
        one.send(fetch); // more than the kernels take: answers wait, and begin while others of the same are half out
        other.send(fetch);
      }
      for (int from : froms) {
        for (RawConnection reader : List.of(one, other)) {
          int offset = from;
          for (Records.Entry entry : ((Records) reader.receive()).entries()) {
            assertArrayEquals(values.get(offset), entry.value(), "record " + offset);
            offset++;
          }
          assertTrue(offset > from);
        }
      }
      largeSegments.awaitBudgetEmpty();
    }
  }

  /** Clients that leave while a large answer is read, waits, or is half out: what it was made in is there for others. */
  @Test
  void buffersOfThoseWhoLeaveAreGivenBack() throws Exception {
    try (TestBroker largeSegments = TestBroker.start("")) {
      try (RawConnection writer = new RawConnection(largeSegments.address())) {
        for (int i = 0; i < 8; i++) {
          writer.ask(produce(ORDERS, 2 << 20));
        }
      }
      for (int i = 0; i < 60; i++) {
        try (RawConnection leaving = new RawConnection(largeSegments.address())) {
          leaving.send(new Fetch(ORDERS, 0, 16 << 20, 0, 0));
          if (i % 3 > 0) {
            leaving.socket().getInputStream().readNBytes(i * 50_000);
          }
        }
        largeSegments.awaitBudgetEmpty();
      }
    }
  }

  /** A client that wants more bytes than the answer can take gets the answer when it is full. */
  @Test
  void minBytesAboveMaxBytesIsMaxBytes() throws Exception {
    connection.ask(produce(ORDERS, 10_000));
    connection.ask(produce(ORDERS, 10_000));

    Response answer = connection.ask(new Fetch(ORDERS, 0, 15_000, 600_000, 1 << 30)); // the socket waits for 20 s

    assertEquals(1, ((Records) answer).entries().size());
  }

  /** What stands in the log is read once for an answer that fits in what a fetch may hold. */
  @Test
  void answerThatFitsIsReadOnce() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker counted = TestBroker.start("", disk);
        RawConnection reader = new RawConnection(counted.address())) {
      for (int i = 0; i < 70; i++) {
        reader.ask(produce(ORDERS, 10_000));
      }
      disk.resetCounts();

      assertEquals(70, ((Records) reader.ask(new Fetch(ORDERS, 0, 1 << 20, 0, 0))).entries().size());

      int reads = disk.count(FaultyDisk.Operation.READ, "00.log");
      assertEquals(2, reads, "where it starts, and all of it");
    }
  }

  /** The stop comes while the fetch is in a read that finds too few bytes: it answers with them, and does not begin to wait. */
  @Test
  void stopDuringAReadEndsTheFetch() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    TestBroker stopping = TestBroker.start("", disk);
    try (RawConnection reader = new RawConnection(stopping.address());
        RawConnection idle = new RawConnection(stopping.address())) {
      reader.ask(produce(ORDERS, "a"));
      reader.ask(fetch(ORDERS, 0));
      idle.ask(fetch(ORDERS, 0));
      java.util.concurrent.CompletionStage<akka.Done> stopped;
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.READ, "00.log")) {
        reader.send(new Fetch(ORDERS, 0, 1 << 20, 300_000, 1 << 20));
        gate.awaitEntered();
        stopped = stopping.stop();
        assertTrue(idle.isClosedByPeer()); // so the other one has heard of the stop
      }
      assertEquals(1, ((Records) reader.receive()).entries().size());
      assertTrue(reader.isClosedByPeer());
      reader.close();
      stopped.toCompletableFuture().get(15, java.util.concurrent.TimeUnit.SECONDS);
    }
  }
}
