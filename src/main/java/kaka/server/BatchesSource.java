package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.RecordBatches;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;

/**
 * The RECORD_BATCHES answer to FETCH_BATCHES: the stored bytes as they are, whole batches, but for those of aborted transactions. They are walked first, to see where
 * the last one that fits ends and that none is damaged; a short answer is then still in the window and not read again.
 */
final class BatchesSource implements AnswerSource {
  /** What stands before the stored batches, at most: the header, and a batch without records. */
  private static final int PREFIX_BYTES = RecordBatches.FRAME_HEADER_BYTES + 2 * BatchHeader.SIZE;

  private final LogSnapshot snapshot;
  private final LogReader reader;
  private final ReadWindow window;
  private final int maxBytes;
  private final CommittedBatches batches;
  private boolean planned;
  private long sentBytes;
  private int gapBytes;

  /**
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the batches; one is sent even if it is larger (KIP-74)
   */
  BatchesSource(LogSnapshot snapshot, long readOffset, int maxBytes) throws IOException {
    this.snapshot = snapshot;
    this.maxBytes = maxBytes;
    this.reader = snapshot.reader(readOffset, maxBytes);
    this.window = new ReadWindow(reader, BatchHeader.SIZE * 2);
    this.batches = new CommittedBatches(window, readOffset, maxBytes, new HiddenBatches(snapshot));
  }

  @Override
  public Optional<ByteBuffer> next(int sliceBytes) throws IOException {
    window.startTask(sliceBytes);
    int prefixBytes = 0;
    if (!planned) {
      planned = batches.measure();
      if (!planned) {
        return Optional.empty();
      }
      gapBytes = batches.gap().map(RecordBatch::sizeBytes).orElse(0);
      prefixBytes = RecordBatches.FRAME_HEADER_BYTES + gapBytes;
    }
    int count = (int) Math.min(sliceBytes - prefixBytes, batches.sizeBytes() - sentBytes);
    byte[] out = new byte[prefixBytes + count];
    if (prefixBytes > 0) {
      int batchesBytes = Math.toIntExact(batches.sizeBytes()) + gapBytes;
      RecordBatches.encodeFrameHeader(out, 0, batchesBytes, snapshot.logStartOffset(), snapshot.highWatermark());
      batches.gap().ifPresent(gap -> gap.copyTo(0, gap.sizeBytes(), gapIn(out)));
    }
    long at = batches.start() + sentBytes;
    if (window.holds(at, count)) {
      System.arraycopy(window.array(), window.index(at), out, prefixBytes, count);
    } else if (reader.read(ByteBuffer.wrap(out, prefixBytes, count), at) < count) {
      throw new IOException("the log ends inside a batch");
    } else {
      window.drop(); // it has served to check them
    }
    sentBytes += count;
    return Optional.of(ByteBuffer.wrap(out));
  }

  private static ByteBuffer gapIn(byte[] frame) {
    return ByteBuffer.wrap(frame).position(RecordBatches.FRAME_HEADER_BYTES);
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public long recordCount() {
    return batches.recordCount();
  }

  @Override
  public long madeBytes() {
    return 0;
  }

  @Override
  public long windowBytes() {
    return window.heldBytes();
  }

  @Override
  public long taskBytes(int sliceBytes) {
    return Math.max(window.heldBytes(), planned ? 0 : sliceBytes) + (long) sliceBytes;
  }

  @Override
  public long leftBytes() {
    return planned ? batches.sizeBytes() - sentBytes : PREFIX_BYTES + Math.min(maxBytes, reader.sizeBytes());
  }

  @Override
  public void trim() {
    window.drop();
  }

  @Override
  public boolean isExhausted() {
    return planned && sentBytes == batches.sizeBytes();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
