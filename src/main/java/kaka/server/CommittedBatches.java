package kaka.server;

import java.io.IOException;
import java.util.Optional;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.connection.StoredBatches;
import kaka.record.BatchFilter;
import kaka.record.RecordBatch;

/**
 * Which stored batches one answer has: a run of whole, checked ones, without those of aborted transactions. Where some of these
 * come first, an empty batch stands for their offsets; where they come later, the run ends before them.
 */
final class CommittedBatches {
  private final StoredBatches batches;
  private final HiddenBatches hidden;
  private final int maxBytes;
  private long start;
  private long end;
  private long gapFrom = -1;
  private long gapTo;
  private long recordCount; // of the run

  /** A batch's header is read, its CRC is not checked yet. */
  private boolean checking;

  private boolean isHidden;

  /** @param maxBytes bound on the run; one batch is taken even if it is larger (KIP-74) */
  CommittedBatches(ReadWindow window, long readOffset, int maxBytes, HiddenBatches hidden) {
    this.batches = new StoredBatches(window, 0, readOffset);
    this.maxBytes = maxBytes;
    this.hidden = hidden;
  }

  /**
   * Goes on looking where the run ends.
   *
   * @return false if the window's task was over before: call it again in the next
   * @throws IOException if already the first batch cannot be read, or is damaged; the next fetch, which starts at a later one,
   *     gets the error
   */
  boolean measure() throws IOException {
    try {
      while (checking || end - start < maxBytes && batches.next()) {
        if (!checking) {
          isHidden = hidden.contains(batches);
          if (isEndOfRun()) {
            break;
          }
          checking = true;
        }
        if (!batches.checkCrc()) {
          return false;
        }
        checking = false;
        take();
      }
    } catch (IOException e) {
      if (end == start && gapFrom < 0) {
        throw e;
      }
    }
    return true;
  }

  private boolean isEndOfRun() {
    boolean isTooLong = batches.end() - start > maxBytes;
    boolean isGapTooLong = gapFrom >= 0 && batches.nextOffset() - gapFrom > Integer.MAX_VALUE;
    return isHidden ? end > start || isGapTooLong : end > start && isTooLong;
  }

  private void take() {
    end = batches.end();
    recordCount += isHidden ? 0 : batches.recordCount();
    if (isHidden) {
      start = end;
      gapFrom = gapFrom < 0 ? batches.baseOffset() : gapFrom;
      gapTo = batches.nextOffset() - 1;
    }
  }

  /** What stands for hidden batches before the run. */
  Optional<RecordBatch> gap() {
    return gapFrom < 0 ? Optional.empty() : Optional.of(BatchFilter.gap(gapFrom, gapTo, 0));
  }

  /** Where the run starts. */
  long start() {
    return start;
  }

  long recordCount() {
    return recordCount;
  }

  long sizeBytes() {
    return end - start;
  }
}
