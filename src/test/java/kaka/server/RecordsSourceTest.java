package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import kaka.TestSeed;
import kaka.config.KakaConfig;
import kaka.connection.RunBuffers;
import kaka.connection.SliceSizes;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.partition.MemoryBudget;
import kaka.protocol.Fetch;
import kaka.record.Allowance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes of an answer are the same whatever it is made in, and what that was is given back, however it ends. */
class RecordsSourceTest {
  private static final int FULL = 256 << 10;

  private final Random random = new Random(TestSeed.get());
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final RunBuffers buffers = Requesting.runBuffers();
  private final RunBuffers none = new SliceSizes(new MemoryBudget(1 << 20)).buffers();
  private PartitionLog log;

  /** Some 7 MB: large batches and small ones, a record larger than a MiB, many of a few bytes. */
  @BeforeEach
  void fill() throws Exception {
    log = PartitionLog.create(disk, Path.of("orders-0"), new UUID(1, 2), KakaConfig.parse("").log(), Clock.systemUTC());
    for (int i = 0; i < 40; i++) {
      int most = i % 4 == 0 ? 30 : 3000;
      byte[][] values = new byte[i == 20 ? 1 : 50 + random.nextInt(i % 4 == 0 ? 3000 : 100)][];
      for (int j = 0; j < values.length; j++) {
        values[j] = new byte[i == 20 ? 1_500_000 : random.nextInt(most)];
        random.nextBytes(values[j]);
      }
      log.append(Requesting.batch(values));
    }
    log.flush();
  }

  @AfterEach
  void close() throws Exception {
    log.close();
  }

  private RecordsSource source(long offset, int maxBytes, RunBuffers from) throws IOException {
    return new RecordsSource(log.snapshot(), new Fetch(ORDERS, offset, maxBytes, 0, 0), offset, maxBytes, Allowance.UNLIMITED, from);
  }

  private byte[] plainly(long offset, int maxBytes) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    try (RecordsSource source = source(offset, maxBytes, none)) {
      while (!source.isExhausted()) {
        Optional<ByteBuffer> slice = source.next(4 << 10);
        assertTrue(slice.map(ByteBuffer::hasArray).orElse(true));
        slice.map(Requesting::bytes).ifPresent(frame::writeBytes);
      }
    }
    return frame.toByteArray();
  }

  /** Memory gets scarce and plenty again, others take buffers, and what can be read again is let go of. */
  @Test
  void sameBytesWhateverMemoryThereIs() throws Exception {
    for (int i = 0; i < 60; i++) {
      int maxBytes = 1 + random.nextInt(i % 2 == 0 ? 1 << 20 : 8 << 20);
      long offset = random.nextInt((int) log.snapshot().highWatermark());
      byte[] expected = plainly(offset, maxBytes);
      boolean isSteady = i % 3 == 0;
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      try (RecordsSource source = source(offset, maxBytes, buffers)) {
        while (!source.isExhausted()) {
          int sliceBytes = (int) Math.min(source.leftBytes(), isSteady || random.nextBoolean() ? FULL : (4 << 10) + random.nextInt(FULL));
          sliceBytes = Math.min(FULL, Math.max(4 << 10, sliceBytes));
          Optional<ByteBuffer> other = isSteady ? Optional.empty() : buffers.tryTake();
          long mostBytes = source.taskBytes(sliceBytes);
          Optional<ByteBuffer> slice = source.next(sliceBytes);
          long heldBytes = source.madeBytes() + source.windowBytes() + slice.map(ByteBuffer::capacity).orElse(0);
          assertTrue(heldBytes <= mostBytes, heldBytes + " bytes are held, charged are " + mostBytes);
          int taken = buffers.takenCount() - (other.isPresent() ? 1 : 0);
          assertTrue((long) taken * RunBuffers.BYTES <= heldBytes, taken + " buffers, but it tells of " + heldBytes + " bytes");
          slice.map(Requesting::bytes).ifPresent(frame::writeBytes);
          slice.ifPresent(buffers::giveBack);
          other.ifPresent(buffers::giveBack);
          if (!isSteady && random.nextInt(3) == 0) {
            source.trim();
          }
        }
        assertEquals(0, source.windowBytes(), "all is read");
      }
      assertArrayEquals(expected, frame.toByteArray(), maxBytes + " bytes from " + offset);
      assertEquals(0, buffers.takenCount());
    }
  }

  @Test
  void buffersAreGivenBackWheneverItIsClosed() throws Exception {
    for (int maxBytes : new int[] {300_000, 1 << 20, 2 << 20, 7 << 20}) {
      boolean isWhole = false;
      for (int calls = 0; !isWhole; calls++) {
        try (RecordsSource source = source(0, maxBytes, buffers)) {
          for (int i = 0; i < calls && !source.isExhausted(); i++) {
            source.next(FULL).ifPresent(buffers::giveBack);
          }
          isWhole = source.isExhausted();
        }
        assertEquals(0, buffers.takenCount(), "closed after " + calls + " calls of " + maxBytes);
      }
    }
  }

  /** What had been sent before is what would have been, and no more than that. */
  @Test
  void buffersAreGivenBackWhereverTheDiskFails() throws Exception {
    byte[] expected = plainly(0, 5 << 20);
    boolean hasFailed = true;
    for (int nth = 1; hasFailed; nth++) {
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      disk.failFrom(EnumSet.of(FaultyDisk.Operation.READ), "00.log", nth);
      int failuresBefore = disk.failureCount();
      try (RecordsSource source = source(0, 5 << 20, buffers)) {
        while (!source.isExhausted()) {
          Optional<ByteBuffer> slice = source.next(FULL);
          slice.map(Requesting::bytes).ifPresent(sent::writeBytes);
          slice.ifPresent(buffers::giveBack);
        }
      } catch (IOException e) {
        assertTrue(sent.size() < expected.length);
      }
      hasFailed = disk.failureCount() > failuresBefore;
      disk.heal();
      assertEquals(0, buffers.takenCount(), "failed from read " + nth + " on");
      if (!hasFailed) {
        assertArrayEquals(expected, sent.toByteArray());
      }
    }
  }

  /** The last slice is full to the byte, so it is no room that its last record's value waits for. */
  @Test
  void emptyValueAtTheEndOfAnAnswerKeepsNothing() throws Exception {
    long offset = log.snapshot().highWatermark();
    log.append(Requesting.batch(new byte[1000][0]));
    log.flush();
    try (RecordsSource source = source(offset, 1 << 20, none)) {
      int slices = 0;
      while (!source.isExhausted()) {
        slices += source.next(4 << 10).isPresent() ? 1 : 0;
      }
      assertTrue(slices > 1, "the last one is as long as what was left");
      assertEquals(0, source.windowBytes());
    }
  }

  /** What is at hand is sent from the one read. */
  @Test
  void answerOfAMiBIsReadOnce() throws Exception {
    disk.resetCounts();
    try (RecordsSource source = source(0, 1 << 20, buffers)) {
      assertTrue(source.next(FULL).isPresent());
      assertTrue(source.isExhausted());
    }
    int reads = disk.count(FaultyDisk.Operation.READ, "00.log");
    assertTrue(reads <= 3, reads + " reads: where it starts, a MiB, the rest of a batch");
  }

  /** A record larger than what a task reads does not come in small pieces, once the task has read enough. */
  @Test
  void largeRecordIsReadInLargePieces() throws Exception {
    disk.resetCounts();
    byte[] frame = plainly(0, 7 << 20);
    int smallReads = disk.count(FaultyDisk.Operation.READ, "00.log");
    disk.resetCounts();
    try (RecordsSource source = source(0, 7 << 20, buffers)) {
      while (!source.isExhausted()) {
        source.next(FULL).ifPresent(buffers::giveBack);
      }
    }
    int reads = disk.count(FaultyDisk.Operation.READ, "00.log");
    assertTrue(smallReads > 2 * frame.length / (4 << 10) && reads < 60, reads + " reads, of 4 KiB " + smallReads);
  }
}
