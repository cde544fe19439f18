package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import kaka.record.BatchHeader;

/**
 * {@code clean-stop}: what a process that stopped in order knew of the active segment, so that the next open need not read it.
 * One file, durable whole or not there, whose checksum covers all that is believed of it:
 *
 * <pre>
 * magic i32 ("kacs") | version i32 (1) | base_offset i64 | size_bytes i32 | next_offset i64 | first_append_ms i64
 * | last_header 61 bytes, of the segment's last batch
 * | index_bytes i32 | index, see {@link SegmentIndex#encode}
 * | aborted_bytes i32 | aborted transactions, see {@link AbortedIndex}
 * | snapshot_bytes i32 | producers at next_offset, see {@link ProducerSnapshot}
 * | crc32c u32 of all before it
 * </pre>
 *
 * Big-endian. It is written last of all, when the segment and the recovery point are synced, and is gone, durably, before an
 * open, or a tool, writes anything into the log. So where it is, and {@link TailDecision#isCleanStop} and {@link #hasLastBatchOf}
 * hold, the segment is as it was then. In every other case the segment is scanned; no record depends on this file.
 *
 * @param sizeBytes of the segment, more than 0, all synced
 * @param lastHeader with its checksum, which tells the batch from any other
 * @param producers what all batches up to {@code nextOffset} left
 */
record CleanStop(
    long baseOffset,
    int sizeBytes,
    long nextOffset,
    long firstAppendMs,
    ByteBuffer lastHeader,
    SegmentIndex index,
    AbortedIndex aborted,
    ProducerState producers) {
  private static final int MAGIC = 0x6b616373;
  private static final int VERSION = 1;
  private static final int CRC_BYTES = 4;
  private static final int FIXED_BYTES = 4 + 4 + 8 + 4 + 8 + 8 + BatchHeader.SIZE + 3 * 4 + CRC_BYTES;

  /** Beside what grows with the segment, of which no entry is as large as the batch it is for. */
  private static final int MAX_OTHER_BYTES = 1024 + ProducerSnapshot.MAX_BYTES;

  /** The header of the batch that begins at {@code position}. */
  static ByteBuffer headerAt(DiskFile file, int position) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(BatchHeader.SIZE);
    if (file.read(header, position) < BatchHeader.SIZE) {
      throw new IOException("no batch at byte " + position);
    }
    return header.flip();
  }

  /** Whether the last batch is the one it was, and ends where the file does: one header is read. */
  boolean hasLastBatchOf(DiskFile file) throws IOException {
    int position = index.lastPosition();
    return (long) position + BatchHeader.OVERHEAD + lastHeader.getInt(BatchHeader.LENGTH) == sizeBytes
        && lastHeader.getLong(BatchHeader.BASE_OFFSET) + lastHeader.getInt(BatchHeader.LAST_OFFSET_DELTA) + 1 == nextOffset
        && headerAt(file, position).equals(lastHeader);
  }

  /** Durable when it returns. */
  void write(Disk disk, LogFiles files) throws IOException {
    WholeFile.replace(disk, files.cleanStop(), encode());
  }

  private ByteBuffer encode() {
    ByteBuffer abortedBytes = AbortedIndex.encode(aborted.entries());
    ByteBuffer snapshot = ProducerSnapshot.encode(nextOffset, producers);
    int indexBytes = Math.toIntExact(index.encodedBytes());
    ByteBuffer bytes =
        ByteBuffer.allocate(
            Math.toIntExact((long) FIXED_BYTES + indexBytes + abortedBytes.remaining() + snapshot.remaining()));
    bytes.putInt(MAGIC).putInt(VERSION).putLong(baseOffset).putInt(sizeBytes).putLong(nextOffset).putLong(firstAppendMs);
    bytes.put(lastHeader.duplicate()).putInt(indexBytes);
    index.encode(bytes);
    bytes.putInt(abortedBytes.remaining()).put(abortedBytes);
    bytes.putInt(snapshot.remaining()).put(snapshot);
    return bytes.putInt(crcOf(bytes.duplicate().flip())).flip();
  }

  /**
   * What the file says; empty if there is none.
   *
   * @param segmentBytes size of the newest segment, which bounds what is read
   * @param indexIntervalBytes for the entries to come
   * @throws IOException if it is not as {@link #write} wrote it
   */
  static Optional<CleanStop> read(Disk disk, LogFiles files, int segmentBytes, int indexIntervalBytes) throws IOException {
    Path path = files.cleanStop();
    if (!disk.exists(path)) {
      return Optional.empty();
    }
    ByteBuffer bytes;
    try (DiskFile file = disk.openForReading(path)) {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes < FIXED_BYTES || sizeBytes > Math.min((long) segmentBytes + MAX_OTHER_BYTES, Integer.MAX_VALUE - 8)) {
        throw new IOException(path.getFileName() + " has " + sizeBytes + " bytes");
      }
      bytes = ByteBuffer.allocate((int) sizeBytes);
      file.read(bytes, 0);
    }
    int crcPosition = bytes.flip().limit() - CRC_BYTES;
    if (crcPosition < 0 || bytes.getInt(crcPosition) != crcOf(bytes.slice(0, crcPosition))) {
      throw new IOException(path.getFileName() + " is damaged: CRC32C does not fit");
    }
    int magic = bytes.getInt();
    int version = bytes.getInt();
    if (magic != MAGIC || version != VERSION) {
      throw new IOException(path.getFileName() + " has magic " + magic + ", version " + version);
    }
    return Optional.of(decode(bytes, indexIntervalBytes));
  }

  /** The checksum has told that these are the bytes that {@link #encode} made. */
  private static CleanStop decode(ByteBuffer bytes, int indexIntervalBytes) throws IOException {
    long baseOffset = bytes.getLong();
    int sizeBytes = bytes.getInt();
    long nextOffset = bytes.getLong();
    long firstAppendMs = bytes.getLong();
    ByteBuffer lastHeader = part(bytes, BatchHeader.SIZE);
    SegmentIndex index = SegmentIndex.decode(part(bytes, bytes.getInt()), baseOffset, indexIntervalBytes);
    AbortedIndex aborted = AbortedIndex.decode(part(bytes, bytes.getInt()), baseOffset, nextOffset);
    ProducerState producers = new ProducerState();
    ProducerSnapshot.decode(part(bytes, bytes.getInt()), "clean-stop", nextOffset, producers);
    return new CleanStop(baseOffset, sizeBytes, nextOffset, firstAppendMs, lastHeader, index, aborted, producers);
  }

  private static ByteBuffer part(ByteBuffer bytes, int sizeBytes) {
    ByteBuffer part = bytes.slice(bytes.position(), sizeBytes);
    bytes.position(bytes.position() + sizeBytes);
    return part;
  }

  /** So that what was believed once is not believed again; durable when it returns. What cannot be ours is left alone. */
  static void remove(Disk disk, LogFiles files) throws IOException {
    boolean isRemoved = false;
    Path written = files.cleanStop();
    for (Path path : List.of(written, WholeFile.temporary(written))) {
      if (disk.isFile(path)) {
        disk.delete(path);
        isRemoved = true;
      }
    }
    if (isRemoved) {
      disk.syncDirectory(files.directory());
    }
  }

  private static int crcOf(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
