package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Records;
import kaka.protocol.Request;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that are not checked on the thread that serves their connection: compressed ones, and large ones. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ApartChecksTest {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final int LONG_THREADS = Math.max(1, (THREADS + 1) / 2);
  private static final String ONE_LOOP = "kaka.dispatchers.sockets.threads = 1\n";

  private static TestBroker.Occupation occupyChecks(TestBroker broker) {
    return broker.occupy("kaka.dispatchers.checks", THREADS);
  }

  private static Request compressed(Codec codec, int valueBytes) {
    RecordBatch plain = new RecordBatchBuilder(64).append(0, null, new byte[valueBytes], List.of()).build();
    return new ProduceBatch(ORDERS, BatchCompression.compress(plain, codec));
  }

  private static Request small() {
    return produce(ORDERS, "small");
  }

  /** Returns when a request of the connection has been taken and not answered. */
  private static void awaitTaken(TestBroker broker, RawConnection connection) {
    int port = connection.socket().getLocalPort();
    TestBroker.awaitTrue(
        "a request is taken",
        () ->
            broker.connectionCounts().open().all().stream()
                .anyMatch(open -> open.address().getPort() == port && open.requestsInFlight() > 0));
  }

  /**
   * The other connection's record is stored first, though it came later: so the thread that both share did not wait for the check,
   * which cannot end meanwhile. What came behind the checked batch did.
   */
  private static void holdsUpNobody(Request checkedApart, int records) throws Exception {
    try (TestBroker broker = TestBroker.start(ONE_LOOP);
        RawConnection first = new RawConnection(broker.address());
        RawConnection other = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), other.ask(small()));
      broker.awaitBudgetEmpty();
      TestBroker.Occupation occupied = occupyChecks(broker);
      first.send(Requesting.frames(checkedApart, small()));
      TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() > 0);

      for (int i = 1; i <= 100; i++) {
        assertEquals(new ProduceAck(i), other.ask(small()));
        assertInstanceOf(HelloReply.class, other.ask(new Hello(1, 1, "", "")));
      }
      occupied.close();

      assertEquals(new ProduceAck(101), first.receive());
      assertEquals(new ProduceAck(101 + records), first.receive());
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void compressedBatchHoldsUpNobodyElseOfItsThread() throws Exception {
    holdsUpNobody(compressed(Codec.ZSTD, 100), 1);
  }

  @Test
  void largeBatchHoldsUpNobodyElseOfItsThread() throws Exception {
    RecordBatch large = Requesting.batch(new byte[2 << 20]);
    holdsUpNobody(new ProduceBatch(ORDERS, large), 1);
  }

  @Test
  void manyRecordsHoldUpNobodyElseOfTheirThread() throws Exception {
    holdsUpNobody(new Produce(ORDERS, Requesting.batch(new byte[200_000][6])), 200_000);
  }

  /** So does an answer about many topics, which is made elsewhere too. */
  @Test
  void answerAboutManyTopicsHoldsUpNobodyElseOfItsThread() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      names.add("no-topic-" + i);
    }
    try (TestBroker broker = TestBroker.start(ONE_LOOP);
        RawConnection first = new RawConnection(broker.address());
        RawConnection other = new RawConnection(broker.address())) {
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", LONG_THREADS);
      first.send(new Metadata(names));
      awaitTaken(broker, first);
      for (int i = 0; i < 100; i++) {
        assertEquals(new ProduceAck(i), other.ask(small()));
      }
      awaitTaken(broker, first);
      occupied.close();

      assertEquals(2000, ((MetadataReply) first.receive()).topics().size());
    }
  }

  /** One that unpacks to much leaves the threads to those that do not: the check of the other ends, and its own cannot. */
  @Test
  void longCheckHoldsUpNoBriefOne() throws Exception {
    try (TestBroker broker = TestBroker.start(ONE_LOOP);
        RawConnection first = new RawConnection(broker.address());
        RawConnection other = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), other.ask(small()));
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", LONG_THREADS);
      first.send(compressed(Codec.ZSTD, 30_000_000));
      awaitTaken(broker, first);

      for (int i = 1; i <= 10; i++) {
        assertEquals(new ProduceAck(i), other.ask(compressed(Codec.LZ4, 1000)));
      }
      occupied.close();

      assertEquals(new ProduceAck(11), first.receive());
    }
  }

  /** Nor a large request that is not compressed: it is made one, and checked, beside them. */
  @Test
  void longCheckHoldsUpNoLargeRequest() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", LONG_THREADS);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(compressed(Codec.NONE, 3 << 20)));
    }
  }

  /** Offsets tell the order in which they were stored, and the answers that in which they were asked. */
  @Test
  void mixedRequestsAreStoredAndAnsweredInTheirOrder() throws Exception {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    try (TestBroker broker = TestBroker.start("");
        RawConnection connection = new RawConnection(broker.address())) {
      List<Integer> valueBytes = new ArrayList<>();
      ByteArrayOutputStream frames = new ByteArrayOutputStream();
      for (int i = 0; i < 300; i++) {
        int bytes = random.nextInt(10) == 0 ? 1 << 20 : random.nextInt(200);
        Codec codec = Codec.values()[random.nextInt(Codec.values().length)];
        valueBytes.add(bytes);
        boolean isNative = codec == Codec.NONE && random.nextBoolean();
        frames.writeBytes((isNative ? produce(ORDERS, bytes) : compressed(codec, bytes)).toFrame());
      }
      Thread sender = new Thread(() -> send(connection, frames.toByteArray()));
      sender.start();

      for (int i = 0; i < 300; i++) {
        assertEquals(new ProduceAck(i), connection.receive(), "seed " + seed);
      }
      sender.join();
      broker.awaitBudgetEmpty();
      for (int i = 0; i < 300; i++) {
        Records records = (Records) connection.ask(new kaka.protocol.Fetch(ORDERS, i, 1, 0, 0));
        assertEquals(valueBytes.get(i), records.entries().get(0).value().length, "offset " + i + " seed " + seed);
      }
    }
  }

  private static void send(RawConnection connection, byte[] bytes) {
    try {
      connection.send(bytes);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** While its check waits for a thread: nothing waits for that to be given back. */
  @Test
  void connectionThatDiesGivesBackWhatItsCheckWasCharged() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        RawConnection other = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), other.ask(small()));
      try (TestBroker.Occupation occupied = occupyChecks(broker)) {
        try (RawConnection victim = new RawConnection(broker.address())) {
          victim.send(Requesting.frames(compressed(Codec.GZIP, 3 << 20), small()));
          awaitTaken(broker, victim);
          assertTrue(broker.memory().usedBytes() > 1000, broker.memory().usedBytes() + " bytes");
          victim.socket().setSoLinger(true, 0);
        }
        broker.awaitBudgetEmpty();
      }
      assertEquals(new ProduceAck(1), other.ask(compressed(Codec.GZIP, 10)), "nothing of it was stored");
    }
  }

  /** The same while its answer waits to be made; it is not made any more. */
  @Test
  void connectionThatDiesGivesBackWhatItsAnswerWasCharged() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", LONG_THREADS)) {
      try (RawConnection victim = new RawConnection(broker.address())) {
        victim.send(new Metadata(java.util.Collections.nCopies(2000, "no-topic")));
        TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() > 256 << 10);
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** The same while its frame waits to be made of its pieces. */
  @Test
  void connectionThatDiesGivesBackWhatItsFrameWasCharged() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", LONG_THREADS)) {
      try (RawConnection victim = new RawConnection(broker.address())) {
        victim.send(compressed(Codec.NONE, 5 << 20));
        TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() >= 5 << 20);
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** It has sent more than is read ahead, which is not read before the check is done. */
  @Test
  void connectionThatIsResetBehindACheckIsNoticed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.dispatchers.sockets.buffer-bytes = 8KiB, kaka.connections.write-timeout = 200ms");
        TestBroker.Occupation occupied = occupyChecks(broker)) {
      try (RawConnection victim = new RawConnection(broker.address())) {
        victim.send(Requesting.frames(compressed(Codec.GZIP, 3 << 20), produce(ORDERS, 100_000)));
        awaitTaken(broker, victim);
        assertTrue(broker.memory().usedBytes() > 1000, broker.memory().usedBytes() + " bytes");
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
      TestBroker.awaitTrue("it has ended", () -> broker.connectionCounts().open().all().isEmpty());
    }
  }

  /** What was asked before is answered, then it ends; the other connections have ended already when the check goes on. */
  @Test
  void brokerThatStopsFinishesChecks() throws Exception {
    TestBroker broker = TestBroker.start(ONE_LOOP);
    try (RawConnection first = new RawConnection(broker.address());
        RawConnection other = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), other.ask(small()));
      TestBroker.Occupation occupied = occupyChecks(broker);
      first.send(Requesting.frames(compressed(Codec.SNAPPY, 100), small()));
      awaitTaken(broker, first);

      CompletionStage<akka.Done> stopped = broker.stop();
      assertTrue(other.isClosedByPeer());
      occupied.close();

      assertEquals(new ProduceAck(1), first.receive());
      assertError(ErrorCode.SHUTTING_DOWN, first.receive());
      assertThrows(EOFException.class, first::receive);
      stopped.toCompletableFuture().get(150, TimeUnit.SECONDS);
      assertEquals(0, broker.memory().usedBytes());
    } finally {
      broker.close();
    }
  }

  @Test
  void batchThatUnpacksToMoreThanIsTakenIsTooLarge() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.max-unpacked-bytes = 1MiB");
        RawConnection connection = new RawConnection(broker.address())) {
      for (Codec codec : List.of(Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)) {
        ErrorReply refused = (ErrorReply) connection.ask(compressed(codec, 1 << 20));
        assertEquals(ErrorCode.TOO_LARGE, refused.error().orElseThrow());
        assertTrue(refused.message().contains("at most 1048576"), refused.message());
      }
      RecordBatchBuilder many = new RecordBatchBuilder(64);
      for (int i = 0; i < 1100; i++) {
        many.append(0, null, new byte[1000], List.of());
      }
      ErrorReply refused = (ErrorReply) connection.ask(new ProduceBatch(ORDERS, BatchCompression.compress(many.build(), Codec.ZSTD)));
      assertEquals(ErrorCode.TOO_LARGE, refused.error().orElseThrow());
      assertTrue(refused.message().contains("more than 1048576 bytes once decompressed"), refused.message());

      assertEquals(new ProduceAck(0), connection.ask(compressed(Codec.ZSTD, 1_000_000)));
      assertEquals(new ProduceAck(1), connection.ask(compressed(Codec.NONE, 2 << 20)), "not compressed, it is what it is");
      broker.awaitBudgetEmpty();
    }
  }

  /** What it is made of has come, and for both together there is no memory; then there is. */
  @Test
  void largeRequestThatCannotBeMadeOneIsRefusedInItsTurn() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 8MiB, kaka.connections.max-frame-bytes = 4MiB");
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(small()));
      broker.awaitBudgetEmpty();
      Request large = compressed(Codec.NONE, 3 << 20);
      try (RawConnection other = new RawConnection(broker.address())) {
        other.send(Arrays.copyOf(large.toFrame(), 3 << 20));
        broker.awaitBudget(3 << 20);

        connection.send(Requesting.frames(large, small()));

        assertError(ErrorCode.MEMORY, connection.receive());
        assertEquals(new ProduceAck(1), connection.receive());
        broker.awaitBudget(3 << 20);
      }
      broker.awaitBudgetEmpty();
      assertEquals(new ProduceAck(2), connection.ask(large));
      broker.awaitBudgetEmpty();
    }
  }

  /** It is charged once when it waits for its check, and beside what is made of it after that. */
  @Test
  void largeRequestIsChargedForWhatIsMadeOfIt() throws Exception {
    try (TestBroker broker = TestBroker.start(ONE_LOOP);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(small()));
      for (Request request : List.of(compressed(Codec.NONE, 3 << 20), produce(ORDERS, 3 << 20))) {
        TestBroker.Occupation occupied = occupyChecks(broker);
        connection.send(request);
        broker.awaitBudget(request.toFrame().length);
        occupied.close();
        assertInstanceOf(ProduceAck.class, connection.receive());
        broker.awaitBudgetEmpty();
      }
    }
  }

  /** A check that finds something wrong, or no room, answers in its turn too, and what it took is given back. */
  @Test
  void refusalsComeInTheirTurn() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 8MiB, kaka.connections.max-frame-bytes = 4MiB");
        RawConnection connection = new RawConnection(broker.address())) {
      byte[] bad = compressed(Codec.ZSTD, 1000).toFrame();
      bad[bad.length - 1] ^= 1;
      connection.send(bad);
      connection.send(Requesting.frames(compressed(Codec.ZSTD, 20_000_000), small()));

      assertError(ErrorCode.BAD_REQUEST, connection.receive());
      assertError(ErrorCode.MEMORY, connection.receive());
      assertEquals(new ProduceAck(0), connection.receive());
      broker.awaitBudgetEmpty();
    }
  }
}
