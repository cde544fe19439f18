package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.broker.TestBroker;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.ProduceAck;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.BatchHeader;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a client sees of a disk that fails, lies or is full, and of a memory budget that is used up. */
class StorageTroubleTest {
  private static final TopicPartition OTHER = new TopicPartition("other", 0);
  private static final Path ORDERS_FILE = Path.of("/kaka/orders-0/00000000000000000000.log");

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  @Test
  void failedSyncIsStorageForItAndEveryLaterWriteAlone() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      try (RawConnection connection = new RawConnection(broker.address());
          RawConnection reader = new RawConnection(broker.address())) {
        connection.ask(produce(ORDERS, "acked"));
        connection.ask(produce(OTHER, "acked"));
        reader.send(waiting(ORDERS, 1));
        disk.failNext(Operation.SYNC, "orders-0/00000000000000000000.log");
        int syncs = disk.count(Operation.SYNC, "orders-0/00000000000000000000.log");

        connection.send(Requesting.frames(produce(ORDERS, "a"), produce(OTHER, "b"), produce(ORDERS, "c")));

        assertError(ErrorCode.STORAGE, connection.receive());
        assertEquals(new ProduceAck(1), connection.receive());
        assertError(ErrorCode.STORAGE, connection.receive());
        assertEquals(new Records(1, List.of()), reader.receive(), "nobody waits for a failed partition");
        assertError(ErrorCode.STORAGE, connection.ask(produce(ORDERS, "d")));
        assertEquals(syncs + 1, disk.count(Operation.SYNC, "orders-0/00000000000000000000.log"));
        assertEquals(1, ((Records) connection.ask(fetch(ORDERS, 0))).entries().size());
        assertEquals(new ProduceAck(2), connection.ask(produce(OTHER, "e")));
        DescribeTopicReply orders = (DescribeTopicReply) connection.ask(new DescribeTopic("orders"));
        assertEquals(DescribeTopicReply.State.FAILED, orders.partitions().get(0).state());
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** A bit that turns in a value that was acknowledged: no reader gets it, in either form, and what stands before it is served. */
  @Test
  void aDamagedValueIsStorageAndNeverServed() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce(ORDERS, "whole"));
      long damagedAt = disk.sizeBytes(ORDERS_FILE);
      connection.ask(produce(ORDERS, "a value in the middle of which a bit turns"));
      disk.flipBit(ORDERS_FILE, (damagedAt + BatchHeader.SIZE + 20) * 8);

      assertEquals(1, ((Records) connection.ask(fetch(ORDERS, 0))).entries().size());
      assertError(ErrorCode.STORAGE, connection.ask(fetch(ORDERS, 1)));
      assertError(ErrorCode.STORAGE, connection.ask(new FetchBatches(fetch(ORDERS, 1))));
    }
  }

  @Test
  void nearlyFullDiskRefusesAndTakesAgain() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(produce(ORDERS, "there was room")));
      disk.setUsableBytes(1 << 20);

      TestBroker.awaitTrue("refused", () -> refusal(connection).filter(ErrorCode.STORAGE::equals).isPresent());
      long stored = highWatermark(connection);
      assertError(ErrorCode.STORAGE, connection.ask(produce(ORDERS, 9 << 20)));
      assertEquals(stored, highWatermark(connection), "nothing of it");

      disk.setUsableBytes(1L << 40);
      TestBroker.awaitTrue("taken again, without any help", () -> refusal(connection).isEmpty());
      assertEquals(new ProduceAck(stored + 1), connection.ask(produce(ORDERS, "and on")));
    }
  }

  private static long highWatermark(RawConnection connection) throws IOException {
    return ((RecordBatches) connection.ask(new FetchBatches(fetch(ORDERS, 0)))).highWatermark();
  }

  /** What a small produce is refused for. */
  private static Optional<ErrorCode> refusal(RawConnection connection) {
    try {
      return connection.ask(produce(ORDERS, "small")) instanceof ErrorReply error ? error.error() : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A bit turns under a running broker: what stands before it is answered, then STORAGE, on a connection that lives on. */
  @Test
  void damageIsNeverServed() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        int batchBytes = produce(ORDERS, 100).batch().sizeBytes();
        for (int i = 0; i < 10; i++) {
          connection.ask(produce(ORDERS, 100));
        }
        for (int bit : new int[] {3 * 8, 8 * 8 + 20, 16 * 8, 17 * 8, 27 * 8, batchBytes * 8 - 300, 8}) {
          disk.flipBit(ORDERS_FILE, 5L * batchBytes * 8 + bit);
          String what = "bit " + bit;

          assertEquals(5, ((Records) connection.ask(fetch(ORDERS, 0))).entries().size(), what);
          assertEquals(5, ((RecordBatches) connection.ask(new FetchBatches(fetch(ORDERS, 0)))).batches().size(), what);
          assertError(ErrorCode.STORAGE, connection.ask(fetch(ORDERS, 5)));
          assertError(ErrorCode.STORAGE, connection.ask(new FetchBatches(fetch(ORDERS, 5))));

          disk.flipBit(ORDERS_FILE, 5L * batchBytes * 8 + bit);
          assertEquals(10, ((Records) connection.ask(fetch(ORDERS, 0))).entries().size(), what);
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** The end of the file is gone: the batches that are left are served, though a whole window cannot be read. */
  @Test
  void cutFileIsServedUpToTheCut() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        int batchBytes = produce(ORDERS, 100).batch().sizeBytes();
        for (int i = 0; i < 10; i++) {
          connection.ask(produce(ORDERS, 100));
        }
        disk.cut(ORDERS_FILE, 7L * batchBytes + 50);

        assertEquals(7, ((Records) connection.ask(fetch(ORDERS, 0))).entries().size());
        assertEquals(7, ((RecordBatches) connection.ask(new FetchBatches(fetch(ORDERS, 0)))).batches().size());
        assertError(ErrorCode.STORAGE, connection.ask(fetch(ORDERS, 7)));
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Used up by one connection's produces, which the disk holds up: others are refused, keep their connection, and get on later. */
  @Test
  void memoryUsedUpIsToldAndPasses() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 5MiB", disk)) {
      try (RawConnection hog = new RawConnection(broker.address());
          RawConnection other = new RawConnection(broker.address())) {
        hog.ask(produce(ORDERS, 1));
        other.ask(produce(OTHER, "0"));
        try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, "orders-0/00000000000000000000.log")) {
          for (int i = 0; i < 3; i++) {
            hog.send(produce(ORDERS, 1_200_000));
          }
          // No more and no less: while the third is still coming, and put together, it needs memory that the others below could take.
          long all = 3L * produce(ORDERS, 1_200_000).batch().sizeBytes();
          TestBroker.awaitTrue("taken", () -> broker.memory().usedBytes() == all);
          gate.awaitEntered();

          assertError(ErrorCode.MEMORY, other.ask(produce(OTHER, 1_700_000)));
          assertEquals(1, ((Records) other.ask(new Fetch(OTHER, 0, 64 << 20, 0, 0))).entries().size(), "a small slice finds room");
          TestBroker.awaitTrue("it is written", () -> broker.memory().usedBytes() == all);
          long rest = broker.memory().maxBytes() - all - 4096;
          assertTrue(broker.memory().tryReserve(rest));
          assertError(ErrorCode.MEMORY, other.ask(new Fetch(OTHER, 0, 64 << 20, 0, 0)));
          broker.memory().release(rest);
          assertEquals(new ProduceAck(1), other.ask(produce(OTHER, "small")));
          other.send(Requesting.frames(produce(OTHER, 2_000_000), produce(OTHER, "behind it")));
          assertError(ErrorCode.MEMORY, other.receive());
          assertEquals(new ProduceAck(2), other.receive(), "the rest of the frame was passed over");
        }
        for (int i = 1; i <= 3; i++) {
          assertEquals(new ProduceAck(i), hog.receive());
        }
        broker.awaitBudgetEmpty();
        assertEquals(new ProduceAck(3), other.ask(produce(OTHER, 900_000)));
        Records stored = (Records) other.ask(fetch(OTHER, 0));
        assertEquals(4, stored.entries().size(), "nothing of what was refused");
      }
      broker.awaitBudgetEmpty();
      assertTrue(broker.memory().maxBytes() == 5 << 20);
    }
  }

  /** A bug in a partition, here of its disk: that partition alone is lost, said as STORAGE, and nobody waits for it for ever. */
  @Test
  void partitionThatDiesOfABugIsLostAlone() throws Exception {
    AtomicBoolean bug = new AtomicBoolean();
    Disk buggy = proxy(Disk.class, new MemoryDisk(), bug);
    try (TestBroker broker = TestBroker.start("", buggy)) {
      try (RawConnection connection = new RawConnection(broker.address());
          RawConnection reader = new RawConnection(broker.address())) {
        connection.ask(produce(ORDERS, "acked"));
        connection.ask(produce(OTHER, "acked"));
        reader.send(waiting(ORDERS, 1));
        bug.set(true);

        connection.send(produce(ORDERS, "a"));

        assertInstanceOf(ErrorReply.class, connection.receive());
        bug.set(false);
        TestBroker.awaitTrue("the registry knows", () -> isFailed(connection));
        assertInstanceOf(ErrorReply.class, reader.receive());
        assertError(ErrorCode.STORAGE, connection.ask(produce(ORDERS, "b")));
        assertError(ErrorCode.STORAGE, connection.ask(fetch(ORDERS, 0)));
        assertEquals(new ProduceAck(1), connection.ask(produce(OTHER, "c")));
      }
      broker.awaitBudgetEmpty();
    }
  }

  private static boolean isFailed(RawConnection connection) {
    try {
      DescribeTopicReply orders = (DescribeTopicReply) connection.ask(new DescribeTopic("orders"));
      return orders.partitions().get(0).state() == DescribeTopicReply.State.FAILED;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A disk, and its files, whose sync throws what no disk may throw. */
  private static <T> T proxy(Class<T> type, Object target, AtomicBoolean bug) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (bug.get() && method.getName().equals("sync")) {
                throw new IllegalStateException("a bug, injected");
              }
              try {
                method.setAccessible(true);
                Object result = method.invoke(target, arguments);
                return result instanceof DiskFile ? proxy(DiskFile.class, result, bug) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
