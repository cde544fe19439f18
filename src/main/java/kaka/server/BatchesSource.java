package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.HiddenBatches;
import kaka.connection.KeptRuns;
import kaka.connection.ReadWindow;
import kaka.connection.RunBuffers;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.RecordBatches;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;

/**
 * The RECORD_BATCHES answer to FETCH_BATCHES: the stored bytes as they are, whole batches, but for those of aborted transactions. They are walked first, to see where
 * the last one that fits ends and that none is damaged. Where memory is plenty, an answer of up to a MiB is then still at hand, and not read again.
 */
final class BatchesSource implements AnswerSource {
  /** What stands before the stored batches, at most: the header, and a batch without records. */
  private static final int PREFIX_BYTES = RecordBatches.FRAME_HEADER_BYTES + 2 * BatchHeader.SIZE;

  private final LogSnapshot snapshot;
  private final LogReader reader;
  private final ReadWindow window;
  private final KeptRuns kept;
  private final KeptRuns.Run run;
  private final int maxBytes;
  private final CommittedBatches batches;
  private boolean planned;
  private long sentBytes;
  private int gapBytes;

  /**
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the batches; one is sent even if it is larger (KIP-74)
   * @param buffers to read into
   */
  BatchesSource(LogSnapshot snapshot, long readOffset, int maxBytes, RunBuffers buffers) throws IOException {
    this.kept = new KeptRuns(buffers);
    this.run = kept.run();
    this.snapshot = snapshot;
    this.maxBytes = maxBytes;
    this.reader = snapshot.reader(readOffset, maxBytes);
    this.window = new ReadWindow(reader, BatchHeader.SIZE * 2);
    this.batches = new CommittedBatches(window, readOffset, maxBytes, new HiddenBatches(snapshot));
  }

  @Override
  public Optional<ByteBuffer> next(int sliceBytes) throws IOException {
    int prefixBytes = 0;
    if (!planned) {
      if (!plan(sliceBytes)) {
        return Optional.empty();
      }
      prefixBytes = RecordBatches.FRAME_HEADER_BYTES + gapBytes;
    } else if (run.isKept()) {
      sentBytes = batches.sizeBytes();
      return Optional.of(run.take());
    }
    int count = run.isKept() ? 0 : (int) Math.min(sliceBytes - prefixBytes, batches.sizeBytes() - sentBytes);
    byte[] out = new byte[prefixBytes + count];
    if (prefixBytes > 0) {
      int batchesBytes = Math.toIntExact(batches.sizeBytes()) + gapBytes;
      RecordBatches.encodeFrameHeader(out, 0, batchesBytes, snapshot.logStartOffset(), snapshot.highWatermark());
      batches.gap().ifPresent(gap -> gap.copyTo(0, gap.sizeBytes(), gapIn(out)));
    }
    copy(ByteBuffer.wrap(out, prefixBytes, count));
    sentBytes += count;
    return Optional.of(ByteBuffer.wrap(out));
  }

  /** Looks what the answer has, and keeps that if it is more than a slice can take with it; false if that goes on in the next task. */
  private boolean plan(int sliceBytes) throws IOException {
    run.startTask(window, sliceBytes, Math.min(maxBytes, reader.sizeBytes()), kept.room(sliceBytes, leftBytes()));
    if (!batches.measure()) {
      return false;
    }
    gapBytes = batches.gap().map(RecordBatch::sizeBytes).orElse(0);
    if (RecordBatches.FRAME_HEADER_BYTES + gapBytes + batches.sizeBytes() > sliceBytes) {
      run.keep(window, batches.start(), batches.sizeBytes());
    }
    planned = true;
    return true;
  }

  private void copy(ByteBuffer out) throws IOException {
    long at = batches.start() + sentBytes;
    int count = out.remaining();
    if (window.holds(at, count)) {
      window.copy(at, count, out);
    } else if (reader.read(out, at) < count) {
      throw new IOException("the log ends inside a batch");
    } else {
      window.drop(); // it has served to check them
    }
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
    return window.heldBytes() + kept.heldBytes();
  }

  @Override
  public long taskBytes(int sliceBytes) {
    int toMeasure = planned ? 0 : Math.max(sliceBytes, kept.room(sliceBytes, leftBytes()));
    return kept.heldBytes() + Math.max(window.heldBytes(), toMeasure) + (long) sliceBytes;
  }

  @Override
  public long leftBytes() {
    return planned ? batches.sizeBytes() - sentBytes : PREFIX_BYTES + Math.min(maxBytes, reader.sizeBytes());
  }

  @Override
  public void trim() {
    window.drop();
    run.drop();
  }

  @Override
  public boolean isExhausted() {
    return planned && sentBytes == batches.sizeBytes();
  }

  @Override
  public void close() throws IOException {
    trim();
    reader.close();
  }
}
