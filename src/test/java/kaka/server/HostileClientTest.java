package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.frame;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Hello;
import kaka.protocol.Limits;
import kaka.protocol.Metadata;
import kaka.protocol.OffsetForTime;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Request;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever a client sends, or stops sending: the broker stays up, and lets go of what it held for it. */
class HostileClientTest {
  private static final int MAX_FRAME_BYTES = 1 << 20;

  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.connections.max-frame-bytes = " + MAX_FRAME_BYTES);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  @Test
  void frameOfTwoGibibytesIsTooLargeAndHoldsNothing() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.send(produce(ORDERS, "before").toFrame());
      connection.send(ByteBuffer.allocate(5).putInt(Integer.MAX_VALUE).put((byte) 1).array());
      for (int i = 0; i < 64; i++) {
        connection.send(new byte[64_000]); // does not matter any more, but a reset would throw here, and take the answer
      }

      assertEquals(new ProduceAck(0), connection.receive());
      assertError(ErrorCode.TOO_LARGE, connection.receive());
      assertEquals(0, broker.memory().usedBytes());
      assertEquals(-1, connection.socket().getInputStream().read());
    }
  }

  @Test
  void lengthZeroIsBadRequestThenClosed() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.send(new byte[] {0, 0, 0, 9, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});

      assertError(ErrorCode.UNSUPPORTED, connection.receive());
      assertError(ErrorCode.BAD_REQUEST, connection.receive());
      assertTrue(connection.isClosedByPeer());
    }
  }

  @Test
  void frameOfJustTheLimitWorksAndOneByteMoreDoesNot() throws Exception {
    int overhead = produce(ORDERS, 0).toFrame().length - 4;
    try (RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(produce(ORDERS, MAX_FRAME_BYTES - overhead)));
      assertError(ErrorCode.TOO_LARGE, connection.ask(produce(ORDERS, MAX_FRAME_BYTES - overhead + 1)));
      assertTrue(connection.isClosedByPeer());
    }
    broker.awaitBudgetEmpty();
  }

  /** One byte at a time of a frame that declares a megabyte: what is held grows with what has come, not with what is declared. */
  @Test
  void slowClientHoldsWhatItSent() throws Exception {
    byte[] frame = produce(ORDERS, MAX_FRAME_BYTES / 2).toFrame();
    try (RawConnection connection = new RawConnection(broker.address())) {
      for (int i = 0; i < 1000; i++) {
        connection.send(new byte[] {frame[i]});
      }
      TestBroker.awaitTrue("the bytes arrive", () -> broker.memory().usedBytes() >= 1000);
      assertTrue(broker.memory().usedBytes() <= 2048, broker.memory().usedBytes() + " bytes held");
    }
    broker.awaitBudgetEmpty();
  }

  @Test
  void everyEndingLetsGo() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker slow = TestBroker.start("", disk);
        RawConnection filler = new RawConnection(slow.address())) {
      for (int i = 0; i < 16; i++) {
        filler.ask(produce(ORDERS, 4 << 20));
      }
      long quiet = slow.actorCount(); // with the filler's own
      byte[] half = Arrays.copyOf(produce(ORDERS, 1 << 20).toFrame(), 700_000);
      try (RawConnection inMidFrame = new RawConnection(slow.address())) {
        inMidFrame.send(half);
        TestBroker.awaitTrue("half a frame is held", () -> slow.memory().usedBytes() >= 700_000);
        reset(inMidFrame);
      }
      slow.awaitBudgetEmpty();
      try (RawConnection inFetch = new RawConnection(slow.address())) {
        inFetch.send(new Fetch(ORDERS, 0, 64 << 20, 0, 0));
        TestBroker.awaitTrue("slices are held", () -> slow.memory().usedBytes() > 0);
        inFetch.socket().getInputStream().readNBytes(100_000);
        reset(inFetch);
      }
      slow.awaitBudgetEmpty();
      try (RawConnection inProduce = new RawConnection(slow.address())) {
        try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "00.log")) {
          inProduce.send(Requesting.frames(produce(ORDERS, 1 << 20), produce(ORDERS, 1 << 20), waiting(ORDERS, 99)));
          gate.awaitEntered();
          // No more than this: then no frame is still being received.
          long all = 2L * produce(ORDERS, 1 << 20).batch().sizeBytes() + costOf(waiting(ORDERS, 99));
          TestBroker.awaitTrue("all is held", () -> slow.memory().usedBytes() == all);
          reset(inProduce);
          TestBroker.awaitTrue("the connection is gone", () -> slow.actorCount() <= quiet);
          assertTrue(slow.memory().usedBytes() > 2 << 20, "the partition still holds the batches");
        }
      }
      slow.awaitBudgetEmpty();
      try (RawConnection later = new RawConnection(slow.address())) {
        assertEquals(new ProduceAck(18), later.ask(produce(ORDERS, "stored all the same")));
      }
    }
  }

  /** A dead client's fetch that is in the middle of a read keeps its charge as long as its window, and then reads no more. */
  @Test
  void readOfADeadClientHoldsItsMemoryAndStopsSoon() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker slow = TestBroker.start("", disk);
        RawConnection filler = new RawConnection(slow.address())) {
      for (int i = 0; i < 16; i++) {
        filler.ask(produce(ORDERS, 1 << 20));
      }
      slow.awaitBudgetEmpty();
      long quiet = slow.actorCount(); // with the filler's own
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.READ, "00.log")) {
        RawConnection dead = new RawConnection(slow.address());
        dead.send(new Fetch(ORDERS, 0, 64 << 20, 0, 0));
        gate.awaitEntered();
        reset(dead);
        TestBroker.awaitTrue("the connection is gone", () -> slow.actorCount() <= quiet);
        assertTrue(slow.memory().usedBytes() > 0, "the read still holds its window");
        disk.resetCounts();
      }
      slow.awaitBudgetEmpty();
      int reads = disk.count(FaultyDisk.Operation.READ, "00.log");
      assertTrue(reads <= 5, reads + " reads for a client that is gone");
    }
  }

  private static void reset(RawConnection connection) throws IOException {
    connection.socket().setSoLinger(true, 0);
    connection.close();
  }

  /** Garbage and mutated frames over many connections: every one ends or answers, a neighbour notices nothing. */
  @Test
  void garbageDisturbsNobody() throws Exception {
    long seed = TestSeed.get();
    System.out.println("garbageDisturbsNobody seed " + seed);
    Random random = new Random(seed);
    AtomicBoolean done = new AtomicBoolean();
    try (LogCapture log = new LogCapture()) {
      CompletableFuture<Long> neighbour = CompletableFuture.supplyAsync(() -> produceUntil(done), task -> new Thread(task).start());
      List<byte[]> seeds = validFrames();
      for (int sent = 0; sent < 20_000; ) {
        try (RawConnection connection = new RawConnection(broker.address())) {
          connection.send(new Hello(1, 1, "fuzz", "fuzz")); // so that the first byte does not say Kafka each time
          int burst = 1 + random.nextInt(400);
          java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
          for (int i = 0; i < burst; i++, sent++) {
            out.writeBytes(mutated(random, seeds));
          }
          connection.send(out.toByteArray());
          if (random.nextBoolean()) {
            connection.socket().shutdownOutput();
            connection.socket().getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
          } else if (random.nextBoolean()) {
            connection.socket().setSoLinger(true, 0);
          }
        } catch (IOException closedByTheBroker) {
          // framing was lost: as it should be
        }
      }
      done.set(true);
      assertTrue(neighbour.join() > 0, "the neighbour got on");
      broker.awaitBudgetEmpty();
      assertEquals(List.of(), log.troubles());
    }
  }

  private long produceUntil(AtomicBoolean done) {
    TopicPartition mine = new TopicPartition("neighbour", 0);
    try (RawConnection connection = new RawConnection(broker.address())) {
      long next = 0;
      while (!done.get()) {
        assertEquals(new ProduceAck(next++), connection.ask(produce(mine, "n")));
      }
      return next;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<byte[]> validFrames() {
    TopicPartition fuzz = new TopicPartition("f", 0);
    List<byte[]> frames = new ArrayList<>();
    frames.add(produce(fuzz, "a", "bb").toFrame());
    frames.add(new ProduceBatch(fuzz, Requesting.batch(new byte[9], new byte[0])).toFrame());
    frames.add(fetch(fuzz, 0).toFrame());
    frames.add(new Fetch(fuzz, 1, 1, 1, 1).toFrame());
    frames.add(new FetchBatches(fetch(fuzz, 3)).toFrame());
    frames.add(new OffsetForTime(fuzz, 12345).toFrame());
    frames.add(new Metadata(List.of("f", "g")).toFrame());
    frames.add(new DescribeTopic("f").toFrame());
    frames.add(new CreateTopic("g", 2, Map.of("segment.bytes", "1048576")).toFrame());
    frames.add(new DeleteTopic("g").toFrame());
    frames.add(new kaka.protocol.Offsets("g", fuzz).toFrame());
    return frames;
  }

  private static byte[] mutated(Random random, List<byte[]> seeds) {
    byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
    int kind = random.nextInt(20);
    if (kind == 0) {
      random.nextBytes(bytes);
    } else if (kind == 1) {
      return frame(random.nextInt(256), Arrays.copyOfRange(bytes, 5, 5 + random.nextInt(bytes.length - 5)));
    } else {
      int from = kind == 2 ? 0 : 5; // the length itself rarely, or every stream would end at once
      for (int i = random.nextInt(4); i > 0; i--) {
        bytes[from + random.nextInt(bytes.length - from)] = (byte) random.nextInt();
      }
    }
    return bytes;
  }

  /** Names of topics by the thousand in one METADATA: charged for what it costs, answered all the same. */
  @Test
  void largeMetadataIsCharged() throws Exception {
    try (TestBroker small = TestBroker.start("kaka.memory.max-bytes = 1MiB");
        RawConnection connection = new RawConnection(small.address())) {
      List<String> names = java.util.Collections.nCopies(50_000, "topic");
      assertError(ErrorCode.MEMORY, connection.ask(new Metadata(names)));
      assertEquals(
          1000, ((kaka.protocol.MetadataReply) connection.ask(new Metadata(names.subList(0, 1000)))).topics().size());
    }
  }

  /** What comes behind a full window is kept as it came, without an error, however little memory is left; and no more is read. */
  @Test
  void chunkBeyondTheWindowIsKeptWithoutMemory() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    String hocon = "kaka.memory.max-bytes = 1MiB, kaka.connections.window-requests = 2";
    try (TestBroker small = TestBroker.start(hocon, disk);
        RawConnection connection = new RawConnection(small.address())) {
      connection.ask(produce(ORDERS, "0"));
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log")) {
        connection.send(produce(ORDERS, (1 << 20) - 300));
        gate.awaitEntered();
        connection.send(Requesting.frames(produce(ORDERS, "1"), produce(ORDERS, "2"), produce(ORDERS, "3"), produce(ORDERS, 500)));
        long window = produce(ORDERS, (1 << 20) - 300).batch().sizeBytes() + produce(ORDERS, "1").batch().sizeBytes();
        TestBroker.awaitTrue("the window is full", () -> small.memory().usedBytes() == window);
        try (RawConnection other = new RawConnection(small.address())) {
          other.ask(new Metadata(List.of("orders"))); // the broker is alive
        }
        assertEquals(window, small.memory().usedBytes());
      }
      for (int i = 1; i <= 5; i++) {
        assertEquals(new ProduceAck(i), connection.receive());
      }
      small.awaitBudgetEmpty();
    }
  }

  /** Small requests behind one that waits are kept as objects: charged too, and refused where there is no memory. */
  @Test
  void requestsThatStandInLineAreCharged() throws Exception {
    try (TestBroker small = TestBroker.start("kaka.memory.max-bytes = 1MiB")) {
      Metadata metadata = new Metadata(java.util.Collections.nCopies(600, "orders"));
      long cost = costOf(metadata);
      int fits = (int) ((1 << 20) / cost);
      assertTrue(fits < 63, fits + " of 63 would fit");
      try (RawConnection connection = new RawConnection(small.address())) {
        connection.ask(produce(ORDERS, "0"));
        connection.send(waiting(ORDERS, 1));
        for (int i = 0; i < 63; i++) {
          connection.send(metadata);
        }
        TestBroker.awaitTrue("charged", () -> small.memory().usedBytes() == fits * cost);
        try (RawConnection other = new RawConnection(small.address())) {
          other.ask(produce(ORDERS, "1"));
        }
        connection.receive();
        for (int i = 0; i < fits; i++) {
          connection.receive(); // made when its turn comes: from memory that those before it have given back, or MEMORY
        }
        for (int i = fits; i < 63; i++) {
          assertError(ErrorCode.MEMORY, connection.receive());
        }
      }
      small.awaitBudgetEmpty();
    }
  }

  private static long costOf(Request request) {
    return RequestIntake.costOf(request.toFrame().length - Limits.FRAME_HEADER_BYTES);
  }

  /** Some bytes ask for a long answer: it is made only if there is memory for it. */
  @Test
  void longDescriptionIsCharged() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker small = TestBroker.start("kaka.memory.max-bytes = 1MiB", disk);
        RawConnection connection = new RawConnection(small.address());
        RawConnection hog = new RawConnection(small.address())) {
      connection.ask(new CreateTopic("wide", 100, Map.of()));
      hog.ask(produce(ORDERS, "0"));
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log")) {
        hog.send(produce(ORDERS, (1 << 20) - 5000));
        gate.awaitEntered();

        assertError(ErrorCode.MEMORY, connection.ask(new DescribeTopic("wide")));
      }
      hog.receive();
      small.awaitBudgetEmpty();
      assertEquals(
          100, ((kaka.protocol.DescribeTopicReply) connection.ask(new DescribeTopic("wide"))).partitions().size());
      small.awaitBudgetEmpty();
    }
  }
}
