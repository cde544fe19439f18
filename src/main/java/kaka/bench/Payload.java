package kaka.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import kaka.protocol.ProduceBatch;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;

/**
 * The produce requests of one stage, made by copying a template and setting what differs; and the check that a record read back
 * is what was sent.
 *
 * <p>A value says which record it is, and is random from there on:
 *
 * <pre>due_ns i64 | run u32 | connection u32 | sequence u64 | filler</pre>
 *
 * The sequence counts a connection's records from 0. The filler follows from its place in the batch and the request's number
 * modulo {@link #VARIANTS}, so it need not be kept to be compared.
 */
final class Payload {
  /** Bytes of a value that are not filler. */
  static final int HEADER_BYTES = 24;

  private static final int VARIANTS = 4;
  private static final long SEED = 0x6b616b61;
  private static final int DUE = 0;
  private static final int RUN = 8;
  private static final int CONNECTION = 12;
  private static final int SEQUENCE = 16;
  private static final int PARTITION_BYTES = 4;
  private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final int run;
  private final int batchRecords;
  private final int recordBytes;
  private final byte[][] frames = new byte[VARIANTS][];
  private final int[] valuePositions;
  private final int batchPosition;
  private final CRC32C crc = new CRC32C();

  /** @param run a number that tells this stage's records from those of others in the same topic */
  Payload(String topic, int run, int batchRecords, int recordBytes) {
    this.run = run;
    this.batchRecords = batchRecords;
    this.recordBytes = recordBytes;
    this.valuePositions = new int[batchRecords];
    Random random = new Random(SEED);
    int position = 0;
    for (int variant = 0; variant < VARIANTS; variant++) {
      RecordBatch batch = randomBatch(random);
      frames[variant] = new ProduceBatch(new TopicPartition(topic, 0), batch).toFrame();
      position = frames[variant].length - batch.sizeBytes();
      findValues(batch, position);
    }
    this.batchPosition = position;
  }

  private RecordBatch randomBatch(Random random) {
    RecordBatchBuilder builder = new RecordBatchBuilder(batchRecords * (recordBytes + 16));
    byte[] value = new byte[recordBytes];
    for (int i = 0; i < batchRecords; i++) {
      random.nextBytes(value);
      builder.append(0, null, 0, -1, value, 0, recordBytes);
    }
    return builder.build();
  }

  private void findValues(RecordBatch batch, int position) {
    try (RecordCursor cursor = batch.cursor()) {
      for (int i = 0; cursor.next(); i++) {
        valuePositions[i] = position + cursor.valuePosition();
      }
    } catch (InvalidBatchException e) {
      throw new IllegalStateException("made here", e);
    }
  }

  /** Another one for another thread: the same bytes, shared. */
  private Payload(Payload other) {
    this.run = other.run;
    this.batchRecords = other.batchRecords;
    this.recordBytes = other.recordBytes;
    System.arraycopy(other.frames, 0, frames, 0, VARIANTS);
    this.valuePositions = other.valuePositions;
    this.batchPosition = other.batchPosition;
  }

  /** For another thread: {@link #write} uses a scratch of its own. */
  Payload forThread() {
    return new Payload(this);
  }

  int batchRecords() {
    return batchRecords;
  }

  int recordBytes() {
    return recordBytes;
  }

  /** Of every request. */
  int frameBytes() {
    return frames[0].length;
  }

  /** Writes a whole PRODUCE_BATCH frame. */
  void write(byte[] into, int at, int partition, int connection, long request, long dueNs, long timestampMs) {
    byte[] frame = frames[(int) (request % VARIANTS)];
    System.arraycopy(frame, 0, into, at, frame.length);
    INT32.set(into, at + batchPosition - PARTITION_BYTES, partition);
    for (int i = 0; i < batchRecords; i++) {
      int value = at + valuePositions[i];
      INT64.set(into, value + DUE, dueNs);
      INT32.set(into, value + RUN, run);
      INT32.set(into, value + CONNECTION, connection);
      INT64.set(into, value + SEQUENCE, request * batchRecords + i);
    }
    int batch = at + batchPosition;
    INT64.set(into, batch + BatchHeader.BASE_TIMESTAMP, timestampMs);
    INT64.set(into, batch + BatchHeader.MAX_TIMESTAMP, timestampMs);
    crc.reset();
    crc.update(into, batch + BatchHeader.ATTRIBUTES, frame.length - batchPosition - BatchHeader.ATTRIBUTES);
    INT32.set(into, batch + BatchHeader.CRC, (int) crc.getValue());
  }

  /** Whether a value is one of this stage's. */
  boolean isOwn(byte[] array, int position, int size) {
    return size == recordBytes && (int) INT32.get(array, position + RUN) == run;
  }

  /** When the record was due, by this process's {@link System#nanoTime}. */
  static long dueNs(byte[] array, int position) {
    return (long) INT64.get(array, position + DUE);
  }

  static int connection(byte[] array, int position) {
    return (int) INT32.get(array, position + CONNECTION);
  }

  static long sequence(byte[] array, int position) {
    return (long) INT64.get(array, position + SEQUENCE);
  }

  /** Whether the filler of a record of this stage is what its sequence says. */
  boolean isIntact(byte[] array, int position) {
    long sequence = sequence(array, position);
    if (sequence < 0) {
      return false;
    }
    byte[] frame = frames[(int) (sequence / batchRecords % VARIANTS)];
    int expected = valuePositions[(int) (sequence % batchRecords)];
    return Arrays.equals(
        array, position + HEADER_BYTES, position + recordBytes, frame, expected + HEADER_BYTES, expected + recordBytes);
  }
}
