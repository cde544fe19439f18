package kaka.connection;

import java.io.IOException;

/**
 * How many of a partition's stored bytes one answer takes: whole batches, each checked, no more than fit. It looks at all of
 * them first, so that the answer's length is known before its first byte goes out.
 */
public final class WholeBatches {
  private final StoredBatches batches;
  private final int maxBytes;
  private final boolean atLeastOne;
  private long sizeBytes;
  private long nextOffset;
  private long recordCount;

  /** A batch's header is read, its CRC is not checked yet. */
  private boolean checking;

  /**
   * @param window from the start of the batch that holds {@code offset}
   * @param atLeastOne whether one batch is taken even if it is larger than {@code maxBytes} (KIP-74)
   */
  public WholeBatches(ReadWindow window, long offset, int maxBytes, boolean atLeastOne) {
    this.batches = new StoredBatches(window, 0, offset);
    this.maxBytes = maxBytes;
    this.atLeastOne = atLeastOne;
  }

  /**
   * Goes on looking where the last whole batch that fits ends.
   *
   * @return false if the window's task was over before: call it again in the next
   * @throws IOException if already the first batch cannot be read, or is damaged; what stands before a later one is whole, and
   *     the next fetch, which starts at it, gets the error
   */
  public boolean measure() throws IOException {
    try {
      while (sizeBytes < maxBytes || sizeBytes == 0 && atLeastOne) {
        if (!checking && (!batches.next() || batches.end() > maxBytes && (sizeBytes > 0 || !atLeastOne))) {
          break;
        }
        checking = true;
        if (!batches.checkCrc()) {
          return false;
        }
        checking = false;
        sizeBytes = batches.end();
        nextOffset = batches.nextOffset();
        recordCount += batches.recordCount();
      }
    } catch (IOException e) {
      if (sizeBytes == 0) {
        throw e;
      }
    }
    return true;
  }

  /** One past the last offset of the batches found so far, once there is one. */
  public long nextOffset() {
    return nextOffset;
  }

  /** Records of the batches found so far. */
  public long recordCount() {
    return recordCount;
  }

  /** Of the batches found so far. */
  public long sizeBytes() {
    return sizeBytes;
  }
}
