package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import kaka.TestSeed;
import kaka.config.KakaConfig;
import kaka.log.LogReader;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KeptRunsTest {
  private static final int BATCHES = 64;
  private static final int WINDOW = 4096;
  private static final int MIB = 1 << 20;

  private final KeptRuns kept = new KeptRuns(new RunBuffers(0));
  private PartitionLog log;
  private LogReader reader;
  private int batchBytes;

  @BeforeEach
  void store() throws Exception {
    log = PartitionLog.create(new MemoryDisk(), Path.of("orders-0"), new UUID(1, 2), KakaConfig.parse("").log(), Clock.systemUTC());
    for (int i = 0; i < BATCHES; i++) {
      RecordBatch batch = new RecordBatchBuilder(64).append(1000, null, new byte[50_000], List.of()).build();
      batchBytes = batch.sizeBytes();
      log.append(batch);
    }
    log.flush();
    reader = log.snapshot().reader(0);
  }

  @AfterEach
  void close() throws IOException {
    reader.close();
    log.close();
  }

  /** Measures {@code count} batches, as an answer would. */
  private KeptRuns.Run measured(int count, int roomBytes) throws IOException {
    int wantedBytes = count * batchBytes;
    ReadWindow window = new ReadWindow(reader, WINDOW);
    KeptRuns.Run run = kept.run();
    WholeBatches batches = new WholeBatches(window, 0, wantedBytes, true);
    measure(run, window, batches, wantedBytes, roomBytes);
    run.keep(window, 0, batches.sizeBytes());
    return run;
  }

  private static void measure(KeptRuns.Run run, ReadWindow window, WholeBatches batches, int wantedBytes, int roomBytes) throws IOException {
    do {
      run.startTask(window, WINDOW, wantedBytes, roomBytes);
    } while (!batches.measure());
  }

  @Test
  void whatHasRoomIsKeptAsItWasRead() throws Exception {
    KeptRuns.Run run = measured(3, MIB);

    assertTrue(run.isKept());
    assertEquals(3 * batchBytes, kept.heldBytes());
    ByteBuffer taken = run.take();
    assertEquals(0, kept.heldBytes());
    assertFalse(run.isKept());
    ByteBuffer stored = ByteBuffer.allocate(3 * batchBytes);
    reader.read(stored, 0);
    assertEquals(stored.flip(), taken);
  }

  @Test
  void whatHasNoRoomIsNotKept() throws Exception {
    assertFalse(measured(3, 3 * batchBytes - 1).isKept());
    assertEquals(0, kept.heldBytes());
  }

  /** A run of a MiB is read past the heap, batch by batch checked there as in an array. */
  @Test
  void whatFillsABufferOutsideTheHeapIsTheSameAndCheckedTheSame() throws Exception {
    RunBuffers buffers = new RunBuffers(1L << 30);
    KeptRuns outside = new KeptRuns(buffers);
    KeptRuns.Run run = outside.run();
    ReadWindow window = new ReadWindow(reader, WINDOW);
    WholeBatches batches = new WholeBatches(window, 0, MIB, true);
    measure(run, window, batches, MIB, outside.room(SliceSizes.MAX_BYTES, MIB));
    assertTrue(window.buffer().isDirect());
    ByteBuffer copy = ByteBuffer.allocate(batchBytes);
    window.copy(batchBytes, copy.remaining(), copy);
    run.keep(window, 0, batches.sizeBytes());

    ByteBuffer stored = ByteBuffer.allocate((int) batches.sizeBytes());
    reader.read(stored, 0);
    assertEquals(stored.flip().slice(batchBytes, batchBytes), copy.flip());
    assertEquals(MIB, outside.heldBytes());
    ByteBuffer taken = run.take();
    assertEquals(stored, taken);
    assertTrue(taken.isDirect());
    buffers.giveBack(taken);
    assertEquals(1, buffers.freeCount());
  }

  @Test
  void runThatIsDroppedGivesItsBufferBack() throws Exception {
    RunBuffers buffers = new RunBuffers(1L << 30);
    KeptRuns outside = new KeptRuns(buffers);
    KeptRuns.Run run = outside.run();
    ReadWindow window = new ReadWindow(reader, WINDOW);
    run.startTask(window, WINDOW, MIB, MIB);
    window.ensure(0, MIB);
    run.keep(window, 0, batchBytes);
    assertEquals(0, buffers.freeCount());
    assertEquals(0, window.heldBytes());
    run.drop();
    assertEquals(1, buffers.freeCount());
    assertEquals(0, outside.heldBytes());
  }

  /** Whatever becomes of a window's bytes: they are given away, or let go, or others take their place. */
  @Test
  void windowGivesBackWhatItDoesNotGiveAway() throws Exception {
    RunBuffers buffers = new RunBuffers(1L << 30);
    ReadWindow window = new ReadWindow(reader, WINDOW);
    window.startTask(MIB, buffers);
    window.ensure(0, MIB);
    window.ensure(batchBytes, MIB);
    assertEquals(0, buffers.freeCount(), "it is read into again");
    window.drop();
    assertEquals(1, buffers.freeCount());

    window.startTask(MIB, buffers);
    window.ensure(0, MIB);
    window.startTask(2 * MIB, buffers);
    window.ensure(0, 2 * MIB);
    assertEquals(1, buffers.freeCount(), "another size");
    window.drop();

    window.startTask(MIB, buffers);
    window.ensure(batchBytes, MIB);
    window.startTask(MIB);
    window.ensure(0, MIB);
    assertEquals(1, buffers.freeCount(), "an array from now on");
    assertEquals(MIB, window.buffer().array().length);
  }

  /** Of what the window has gone past, the start of the run is not there any more. */
  @Test
  void runThatStartsInsideItsWindowIsNotKept() throws Exception {
    ReadWindow window = new ReadWindow(reader, WINDOW);
    KeptRuns.Run run = kept.run();
    run.startTask(window, WINDOW, 2 * batchBytes, MIB);
    window.ensure(0, 2 * batchBytes);

    run.keep(window, batchBytes, batchBytes);
    assertFalse(run.isKept());
    byte[] array = window.buffer().array();
    run.keep(window, 0, batchBytes);
    assertTrue(run.isKept());
    assertEquals(array.length, kept.heldBytes(), "the whole array");
    assertSame(array, run.take().array());
  }

  @Test
  void roomIsAMiBLessWhatIsHeldAndNothingWhereSlicesAreSmall() throws Exception {
    assertEquals(MIB, kept.room(256 << 10, 50 * MIB));
    assertEquals(70_000, kept.room(70_000, 70_000), "no slice could be larger");
    assertEquals(0, kept.room(69_999, 70_000));
    KeptRuns.Run run = measured(2, MIB);
    assertEquals(MIB - 2 * batchBytes, kept.room(256 << 10, 50 * MIB));
    run.drop();
    assertEquals(MIB, kept.room(256 << 10, 50 * MIB));
  }

  /** Whatever is kept, given and let go, in whatever order and however often, the count is the sum of what is there. */
  @Test
  void countIsTheSumOfWhatIsKept() throws Exception {
    Random random = new Random(TestSeed.get());
    List<KeptRuns.Run> runs = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    int most = 0;
    for (int step = 0; step < 2000; step++) {
      int at = runs.isEmpty() ? 0 : random.nextInt(runs.size());
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          int count = 1 + random.nextInt(5);
          int room = kept.room(256 << 10, random.nextInt(2 * MIB));
          KeptRuns.Run run = measured(count, room);
          assertEquals(count * batchBytes <= room, run.isKept(), "step " + step);
          runs.add(run);
          sizes.add(run.isKept() ? count * batchBytes : 0);
        }
        case 2 -> {
          if (!runs.isEmpty() && runs.get(at).isKept()) {
            assertEquals(sizes.get(at), runs.get(at).take().limit(), "step " + step);
            sizes.set(at, 0);
          }
        }
        default -> {
          if (!runs.isEmpty()) {
            runs.get(at).drop();
            sizes.set(at, 0);
          }
        }
      }
      int sum = sizes.stream().mapToInt(Integer::intValue).sum();
      most = Math.max(most, sum);
      assertEquals(sum, kept.heldBytes(), "step " + step);
    }
    assertTrue(most > MIB / 2 && most <= MIB, "at most " + most);
    runs.forEach(KeptRuns.Run::drop);
    assertEquals(0, kept.heldBytes());
  }
}
