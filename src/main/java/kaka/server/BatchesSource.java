package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.RecordBatches;

/**
 * The RECORD_BATCHES answer to FETCH_BATCHES: the stored bytes as they are, whole batches. They are walked first, to see where
 * the last one that fits ends and that none is damaged; a short answer is then still in the window and not read again.
 */
final class BatchesSource implements AnswerSource {
  private final LogSnapshot snapshot;
  private final LogReader reader;
  private final ReadWindow window;
  private final int maxBytes;
  private final int sliceBytes;
  private final StoredBatches batches;
  private long plannedBytes;
  private boolean planned;

  /** A batch's header is read, its CRC is not checked yet. */
  private boolean checking;

  private long sentBytes;

  /**
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the batches; one is sent even if it is larger (KIP-74)
   */
  BatchesSource(LogSnapshot snapshot, long readOffset, int maxBytes) throws IOException {
    this.snapshot = snapshot;
    this.maxBytes = maxBytes;
    this.sliceBytes = AnswerSource.sliceBytes(maxBytes);
    this.reader = snapshot.reader(readOffset, maxBytes);
    this.window = new ReadWindow(reader, sliceBytes);
    this.batches = new StoredBatches(window, 0, readOffset);
  }

  /** Goes on looking where the last whole batch that fits ends; returns false if the window's task was over before. */
  private boolean plan() throws IOException {
    try {
      while (plannedBytes < maxBytes) {
        if (!checking && (!batches.next() || plannedBytes > 0 && batches.end() > maxBytes)) {
          break;
        }
        checking = true;
        if (!batches.checkCrc()) {
          return false;
        }
        checking = false;
        plannedBytes = batches.end();
      }
    } catch (IOException e) {
      if (plannedBytes == 0) {
        throw e; // what stands before it is whole; the next fetch, which starts at it, gets the error
      }
    }
    planned = true;
    return true;
  }

  @Override
  public Optional<byte[]> next() throws IOException {
    window.startTask();
    int prefixBytes = 0;
    if (!planned) {
      if (!plan()) {
        return Optional.empty();
      }
      prefixBytes = RecordBatches.FRAME_HEADER_BYTES;
    }
    int count = (int) Math.min(sliceBytes, plannedBytes - sentBytes);
    byte[] out = new byte[prefixBytes + count];
    if (prefixBytes > 0) {
      int batchesBytes = Math.toIntExact(plannedBytes);
      RecordBatches.encodeFrameHeader(out, 0, batchesBytes, snapshot.logStartOffset(), snapshot.highWatermark());
    }
    if (window.holds(sentBytes, count)) {
      System.arraycopy(window.array(), window.index(sentBytes), out, prefixBytes, count);
    } else if (reader.read(ByteBuffer.wrap(out, prefixBytes, count), sentBytes) < count) {
      throw new IOException("the log ends inside a batch");
    }
    sentBytes += count;
    return Optional.of(out);
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public boolean isExhausted() {
    return planned && sentBytes == plannedBytes;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
