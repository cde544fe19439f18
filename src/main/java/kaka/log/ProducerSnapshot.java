package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * {@code <base offset>.snapshot}: the {@link ProducerState} that the batches below that offset left. Written at each roll,
 * durable before the segment of that name exists, so that an open need not read the segments before it. The name is Kafka's,
 * the content is not:
 *
 * <pre>
 * magic i32 ("kaps") | version i32 (2) | base_offset i64 | transactions_from i64 | n i32
 * | n x (producer_id i64 | last_used_ms i64 | epoch i16 | coordinator_epoch i32 | transaction_start i64 | m u8, 0 to 5
 *        | m x (first_sequence i32 | last_sequence i32 | base_offset i64))
 * | crc32c u32 of all before it
 * </pre>
 *
 * Big-endian; producers least recently used first, their batches oldest first. {@code transactions_from} is the offset of the
 * log's first transactional batch or marker, the greatest i64 if there is none; {@code transaction_start} is where the
 * producer's open transaction begins, -1 if none is open. Version 1, from before there were transactions, has neither of them,
 * nor {@code coordinator_epoch}.
 */
final class ProducerSnapshot {
  private static final int MAGIC = 0x6b617073;
  private static final int VERSION = 2;
  private static final int VERSION_WITHOUT_TRANSACTIONS = 1;
  private static final int LEAST_HEAD_BYTES = 4 + 4 + 8 + 4;
  private static final int HEAD_BYTES = LEAST_HEAD_BYTES + 8;
  private static final int PRODUCER_BYTES = 8 + 8 + 2 + 4 + 8 + 1;
  private static final int BATCH_BYTES = 4 + 4 + 8;
  private static final int CRC_BYTES = 4;
  static final int MAX_BYTES =
      HEAD_BYTES
          + ProducerState.MAX_PRODUCERS * (PRODUCER_BYTES + ProducerState.REMEMBERED_BATCHES * BATCH_BYTES)
          + CRC_BYTES;

  private ProducerSnapshot() {}

  /** Durable when it returns; replaces one of that name. */
  static void write(Disk disk, LogFiles files, long baseOffset, ProducerState state) throws IOException {
    WholeFile.replace(disk, files.snapshot(baseOffset), encode(baseOffset, state));
  }

  static ByteBuffer encode(long baseOffset, ProducerState state) {
    int size = HEAD_BYTES + CRC_BYTES;
    for (ProducerState.Producer producer : state.producers()) {
      size += PRODUCER_BYTES + producer.count() * BATCH_BYTES;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    bytes.putInt(MAGIC).putInt(VERSION).putLong(baseOffset).putLong(state.transactionsFrom());
    bytes.putInt(state.producers().size());
    for (ProducerState.Producer producer : state.producers()) {
      bytes.putLong(producer.id()).putLong(producer.lastUsedMs()).putShort(producer.epoch());
      bytes.putInt(producer.coordinatorEpoch()).putLong(producer.transactionStart()).put((byte) producer.count());
      for (int i = 0; i < producer.count(); i++) {
        bytes.putInt(producer.firstSequence(i)).putInt(producer.lastSequence(i)).putLong(producer.baseOffset(i));
      }
    }
    return bytes.putInt(crcOf(bytes)).flip();
  }

  /**
   * Adds to {@code state}, which is empty, what the snapshot says.
   *
   * @throws IOException if it is missing, damaged, or about another offset; the state is as it was
   */
  static void read(Disk disk, LogFiles files, long baseOffset, ProducerState state) throws IOException {
    Path path = files.snapshot(baseOffset);
    if (!disk.exists(path)) {
      throw new IOException(path.getFileName() + " is missing");
    }
    ByteBuffer bytes;
    try (DiskFile file = disk.openForReading(path)) {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes < LEAST_HEAD_BYTES + CRC_BYTES || sizeBytes > MAX_BYTES) {
        throw new IOException(path.getFileName() + " has " + sizeBytes + " bytes");
      }
      bytes = ByteBuffer.allocate((int) sizeBytes);
      file.read(bytes, 0);
    }
    decode(bytes.flip(), path.getFileName().toString(), baseOffset, state);
  }

  /**
   * As {@link #read}, from all of {@code bytes}.
   *
   * @param name what a failure calls them
   */
  static void decode(ByteBuffer bytes, String name, long baseOffset, ProducerState state) throws IOException {
    if (bytes.limit() < LEAST_HEAD_BYTES + CRC_BYTES
        || bytes.getInt(bytes.limit() - CRC_BYTES) != crcOf(bytes.duplicate().position(bytes.limit() - CRC_BYTES))) {
      throw new IOException(name + " is damaged: CRC32C does not fit");
    }
    int magic = bytes.getInt();
    int version = bytes.getInt();
    long written = bytes.getLong();
    boolean isKnown = version == VERSION || version == VERSION_WITHOUT_TRANSACTIONS;
    if (magic != MAGIC || !isKnown || written != baseOffset) {
      throw new IOException(name + " has magic " + magic + ", version " + version + ", offset " + written);
    }
    decode(bytes, version == VERSION, state);
  }

  /** The checksum has told that these are the bytes that {@link #encode} made. */
  private static void decode(ByteBuffer bytes, boolean hasTransactions, ProducerState state) {
    if (hasTransactions) {
      state.transactionsFrom(bytes.getLong());
    }
    for (int left = bytes.getInt(); left > 0; left--) {
      long id = bytes.getLong();
      long lastUsedMs = bytes.getLong();
      short epoch = bytes.getShort();
      int coordinatorEpoch = hasTransactions ? bytes.getInt() : -1;
      long transactionStart = hasTransactions ? bytes.getLong() : ProducerState.NO_OFFSET;
      state.restore(id, epoch, coordinatorEpoch, transactionStart, lastUsedMs);
      for (int batches = bytes.get(); batches > 0; batches--) {
        state.add(id, epoch, bytes.getInt(), bytes.getInt(), bytes.getLong(), lastUsedMs);
      }
    }
  }

  /** Of all before its position. */
  private static int crcOf(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().flip());
    return (int) crc.getValue();
  }
}
