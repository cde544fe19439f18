package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Produce;
import kaka.protocol.RecordBatches;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** What FETCH_BATCHES reads of the disk, and gives. */
class FetchBatchesTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static List<RecordBatch> batches(RawConnection reader, long offset, int maxBytes) throws Exception {
    return ((RecordBatches) reader.ask(new FetchBatches(new Fetch(ORDERS, offset, maxBytes, 0, 0)))).batches();
  }

  private static void produceSome(RawConnection connection) throws Exception {
    for (int i = 0; i < 9; i++) {
      connection.ask(produce(ORDERS, 100_000));
    }
  }

  /** What fits a MiB is measured, checked and sent from one read, where memory is plenty. */
  @Test
  void answerOfAMiBIsReadOnce() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection reader = new RawConnection(broker.address())) {
      produceSome(reader);
      disk.resetCounts();

      assertEquals(9, batches(reader, 0, 1 << 20).size());

      assertEquals(2, disk.count(FaultyDisk.Operation.READ, "00.log"), "where it starts, and all of it");
      broker.awaitBudgetEmpty();
    }
  }

  /** Where memory is short, it goes slice by slice, and nothing is kept: read to be measured, and read to be sent. */
  @Test
  void nothingIsKeptWhereMemoryIsShort() throws Exception {
    String little = "kaka.memory.max-bytes = 8MiB, kaka.connections.max-frame-bytes = 1MiB";
    try (TestBroker broker = TestBroker.start(little, disk);
        RawConnection reader = new RawConnection(broker.address())) {
      produceSome(reader);
      disk.resetCounts();

      assertEquals(9, batches(reader, 0, 1 << 20).size());

      int sliceBytes = (8 << 20) * 3 / 4 / 512; // of what is free
      int leastReads = 2 * (900_000 / sliceBytes);
      int reads = disk.count(FaultyDisk.Operation.READ, "00.log");
      assertTrue(reads >= leastReads, reads + " reads, not " + leastReads);
      broker.awaitBudgetEmpty();
    }
  }

  /** Around the sizes where one slice, or what may be kept, is full: the same batches as they were stored. */
  @Test
  void answersOfAnySizeHaveTheBatchesThatFit() throws Exception {
    Random random = new Random(TestSeed.get());
    try (TestBroker broker = TestBroker.start("");
        RawConnection reader = new RawConnection(broker.address())) {
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        byte[] value = new byte[random.nextInt(i % 8 == 0 ? 300_000 : 50_000)];
        random.nextBytes(value);
        values.add(value);
        reader.ask(new Produce(ORDERS, Requesting.batch(value)));
      }
      for (int maxBytes : new int[] {1, 5000, 255 << 10, 256 << 10, 300_000, 768 << 10, (1 << 20) - 1, 1 << 20, 3 << 20, 64 << 20}) {
        for (int offset = 0; offset < values.size(); ) {
          long sizeBytes = 0;
          int first = offset;
          for (RecordBatch batch : batches(reader, offset, maxBytes)) {
            assertEquals(offset, batch.baseOffset());
            assertArrayEquals(values.get(offset), batch.records().get(0).value(), "offset " + offset + " of " + maxBytes);
            sizeBytes += batch.sizeBytes();
            offset++;
          }
          int fitting = first;
          for (long end = 0; fitting < values.size(); fitting++) {
            end += Requesting.batch(values.get(fitting)).sizeBytes();
            if (end > maxBytes && fitting > first) {
              break;
            }
          }
          assertEquals(fitting, offset, sizeBytes + " bytes of " + maxBytes + " from " + first);
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** What an answer was read into is used again for the next, but not before the client's kernel, or ours, has it. */
  @Test
  void answersOfAMiBToClientsThatReadSlowlyAreWhatWasStored() throws Exception {
    Random random = new Random(TestSeed.get());
    try (TestBroker broker = TestBroker.start("");
        RawConnection one = new RawConnection(broker.address());
        RawConnection other = new RawConnection(broker.address())) {
      List<byte[]> values = Requesting.produceLarge(one, random);
      int[] froms = new int[60];
      for (int i = 0; i < froms.length; i++) {
        froms[i] = random.nextInt(values.size() - 12); // a MiB, at least, from there on
        FetchBatches fetch = new FetchBatches(new Fetch(ORDERS, froms[i], 1 << 20, 0, 0));
        one.send(fetch); // more than the kernels take: answers wait, and begin while others of the same are half out
        other.send(fetch);
      }
      for (int from : froms) {
        for (RawConnection reader : List.of(one, other)) {
          int offset = from;
          for (RecordBatch batch : ((RecordBatches) reader.receive()).batches()) {
            assertArrayEquals(values.get(offset), batch.records().get(0).value(), "record " + offset);
            offset++;
          }
          assertTrue(offset > from);
        }
      }
      broker.awaitBudgetEmpty();
    }
  }
}
