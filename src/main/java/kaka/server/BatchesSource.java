package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.Fetch;
import kaka.protocol.MessageType;
import kaka.record.BatchHeader;

/**
 * The RECORD_BATCHES answer to FETCH_BATCHES: the stored bytes as they are. It ends with a whole batch, and so holds at most
 * one slice of them, or one batch, which goes out in slices, if the first is larger.
 */
final class BatchesSource implements AnswerSource {
  /** Frame header, log start offset, high watermark. */
  static final int PREFIX_BYTES = 5 + 8 + 8;

  /** A client that wants more than this asks again; it spares a second look at what was read to find a batch's end. */
  private static final int MAX_BYTES = 1 << 20;

  private final LogSnapshot snapshot;
  private final LogReader reader;
  private final byte[] head;
  private final int headBytes;
  private final long totalBytes;
  private long sentBytes;
  private boolean started;

  /**
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset <= highWatermark}
   * @param maxBytes bound on the batches; one is sent even if it is larger (KIP-74)
   */
  BatchesSource(LogSnapshot snapshot, Fetch fetch, long readOffset, int maxBytes) throws IOException {
    this.snapshot = snapshot;
    this.reader = snapshot.reader(readOffset, Math.max(maxBytes, fetch.minBytes()));
    try {
      int wanted = (int) Math.min(Math.max(BatchHeader.SIZE, Math.min(maxBytes, MAX_BYTES)), reader.sizeBytes());
      head = new byte[wanted];
      ByteBuffer target = ByteBuffer.wrap(head);
      reader.read(target, 0);
      headBytes = target.position();
      totalBytes = wholeBatches();
    } catch (IOException | RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  private long wholeBatches() throws IOException {
    ByteBuffer batches = ByteBuffer.wrap(head, 0, headBytes);
    int at = 0;
    while (headBytes - at >= BatchHeader.OVERHEAD) {
      long sizeBytes = (long) batches.getInt(at + BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
      if (sizeBytes < BatchHeader.SIZE || sizeBytes > reader.sizeBytes() - at) {
        throw new StoredRecords.DamagedBatchException("not a batch", at);
      }
      if (at == 0 && sizeBytes > headBytes) {
        return sizeBytes;
      }
      if (sizeBytes > headBytes - at) {
        break;
      }
      at += (int) sizeBytes;
    }
    return at;
  }

  @Override
  public byte[] next() throws IOException {
    int prefixBytes = started ? 0 : PREFIX_BYTES;
    int count = (int) Math.min(SLICE_BYTES, totalBytes - sentBytes);
    ByteBuffer out = ByteBuffer.allocate(prefixBytes + count);
    if (!started) {
      started = true;
      out.putInt(Math.toIntExact(totalBytes + PREFIX_BYTES - 4)).put((byte) MessageType.RECORD_BATCHES);
      out.putLong(snapshot.logStartOffset()).putLong(snapshot.highWatermark());
    }
    int held = (int) Math.max(0, Math.min(count, headBytes - sentBytes));
    out.put(head, (int) Math.min(sentBytes, headBytes), held);
    if (held < count) {
      reader.read(out, sentBytes + held);
      if (out.hasRemaining()) {
        throw new IOException("the log ends inside a batch");
      }
    }
    sentBytes += count;
    return out.array();
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public boolean isExhausted() {
    return started && sentBytes == totalBytes;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
