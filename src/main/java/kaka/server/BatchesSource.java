package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.Fetch;
import kaka.protocol.RecordBatches;

/**
 * The RECORD_BATCHES answer to FETCH_BATCHES: the stored bytes as they are, whole batches. They are walked first, to see where
 * the last one that fits ends and that none is damaged; a short answer is then still in the window and not read again.
 */
final class BatchesSource implements AnswerSource {
  private final LogSnapshot snapshot;
  private final LogReader reader;
  private final ReadWindow window;
  private final long readOffset;
  private final int maxBytes;
  private final int sliceBytes;
  private long totalBytes = -1;
  private long sentBytes;

  /**
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the batches; one is sent even if it is larger (KIP-74)
   */
  BatchesSource(LogSnapshot snapshot, Fetch fetch, long readOffset, int maxBytes) throws IOException {
    this.snapshot = snapshot;
    this.readOffset = readOffset;
    this.maxBytes = maxBytes;
    this.sliceBytes = AnswerSource.sliceBytes(maxBytes);
    this.reader = snapshot.reader(readOffset, Math.max(maxBytes, fetch.minBytes()));
    this.window = new ReadWindow(reader, sliceBytes);
  }

  private long wholeBatches() throws IOException {
    StoredBatches batches = new StoredBatches(window, readOffset);
    long total = 0;
    try {
      while (total < maxBytes && batches.next() && (total == 0 || batches.end() <= maxBytes)) {
        batches.checkCrc();
        total = batches.end();
      }
    } catch (IOException e) {
      if (total == 0) {
        throw e; // what stands before it is whole; the next fetch, which starts at it, gets the error
      }
    }
    return total;
  }

  @Override
  public byte[] next() throws IOException {
    int prefixBytes = 0;
    if (totalBytes < 0) {
      totalBytes = wholeBatches();
      prefixBytes = RecordBatches.FRAME_HEADER_BYTES;
    }
    int count = (int) Math.min(sliceBytes, totalBytes - sentBytes);
    byte[] out = new byte[prefixBytes + count];
    if (prefixBytes > 0) {
      int batchesBytes = Math.toIntExact(totalBytes);
      RecordBatches.encodeFrameHeader(out, 0, batchesBytes, snapshot.logStartOffset(), snapshot.highWatermark());
    }
    if (window.holds(sentBytes, count)) {
      System.arraycopy(window.array(), window.index(sentBytes), out, prefixBytes, count);
    } else if (reader.read(ByteBuffer.wrap(out, prefixBytes, count), sentBytes) < count) {
      throw new IOException("the log ends inside a batch");
    }
    sentBytes += count;
    return out;
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public boolean isExhausted() {
    return sentBytes == totalBytes;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
