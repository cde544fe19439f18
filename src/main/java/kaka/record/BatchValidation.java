package kaka.record;

import kaka.record.InvalidBatchException.Kind;

/**
 * The check of a batch that a client made, which is stored as it came: so nothing odd may get through. Each front door calls
 * it before a batch goes to its partition. Compressed records are decompressed as they are looked at and not kept.
 *
 * @param transactions whether a transactional batch is taken; it then has a producer
 * @param keys whether every record needs a key: the topic is compacted
 */
public record BatchValidation(boolean transactions, boolean keys) {
  /** What else is to be looked at in a record. */
  @FunctionalInterface
  interface RecordCheck {
    void check(RecordCursor record) throws InvalidBatchException;
  }

  /**
   * Checks everything that a reader, recovery, retention or compaction will believe: CRC, attributes, counts, producer
   * fields, and each record's frame, offset, timestamp and key.
   *
   * @param allowance asked for what decompressing holds
   * @throws InvalidBatchException what is wrong first, and where
   * @throws NoAllowanceException if there is no room to decompress it
   */
  public void check(RecordBatch batch, Allowance allowance) throws InvalidBatchException {
    long maxTimestampMs = checkAllButMaxTimestamp(batch, allowance);
    if (maxTimestampMs != batch.maxTimestampMs()) { // retention and the time index trust it
      String what = "max_timestamp " + batch.maxTimestampMs() + ", but its records say " + maxTimestampMs;
      throw new InvalidBatchException(Kind.TIMESTAMP, what, BatchHeader.MAX_TIMESTAMP);
    }
  }

  /**
   * The same check, for clients whose header is not trusted to say the greatest timestamp: see {@link RecordBatch#withMaxTimestamp}.
   *
   * @return the greatest timestamp of its records
   * @throws InvalidBatchException what is wrong first, and where
   * @throws NoAllowanceException if there is no room to decompress it
   */
  public long checkAllButMaxTimestamp(RecordBatch batch, Allowance allowance) throws InvalidBatchException {
    long[] maxTimestampMs = {Long.MIN_VALUE};
    checkCrc(batch);
    checkAttributes(batch);
    checkProducer(batch);
    int[] index = {0};
    checkRecords(
        batch,
        allowance,
        record -> {
          if (record.timestampMs() < 0) {
            String what = "timestamp " + record.timestampMs() + " of record " + index[0] + ", at least 0";
            throw new InvalidBatchException(Kind.TIMESTAMP, what, BatchHeader.BASE_TIMESTAMP);
          }
          if (keys && record.keySize() < 0) {
            throw noKey(index[0]);
          }
          maxTimestampMs[0] = Math.max(maxTimestampMs[0], record.timestampMs());
          index[0]++;
        });
    return maxTimestampMs[0];
  }

  /** Every record of the valid, uncompressed batch has a key: what is left to check of one that the broker built itself. */
  public static void requireKeys(RecordBatch batch) throws InvalidBatchException {
    try (RecordCursor records = batch.cursor()) {
      for (int i = 0; records.next(); i++) {
        if (records.keySize() < 0) {
          throw noKey(i);
        }
      }
    }
  }

  private static InvalidBatchException noKey(int index) {
    return InvalidBatchException.noKey(index, BatchHeader.SIZE);
  }

  private void checkAttributes(RecordBatch batch) throws InvalidBatchException {
    int attributes = batch.attributes() & 0xffff;
    if (batch.isControl() || batch.isTransactional() && !transactions) {
      throw new InvalidBatchException(
          Kind.UNSUPPORTED, "transactional and control batches are not supported", BatchHeader.ATTRIBUTES);
    }
    if ((attributes & ~BatchHeader.CLIENT_BITS) != 0) {
      throw new InvalidBatchException(
          Kind.UNSUPPORTED, "attributes 0x%04x: unknown bits".formatted(attributes), BatchHeader.ATTRIBUTES);
    }
    batch.codec();
  }

  /** Numbered or not: half a number would be stored and not recognised when it comes again. */
  private static void checkProducer(RecordBatch batch) throws InvalidBatchException {
    if (batch.producerId() == -1 && !batch.isTransactional()) {
      return;
    }
    if (batch.producerId() < 0 || batch.producerEpoch() < 0 || batch.baseSequence() < 0) {
      String what =
          "producer id " + batch.producerId() + ", epoch " + batch.producerEpoch() + ", sequence " + batch.baseSequence();
      throw new InvalidBatchException(what, BatchHeader.PRODUCER_ID);
    }
  }

  static void checkForm(RecordBatch batch, Allowance allowance, RecordCheck more) throws InvalidBatchException {
    checkCrc(batch);
    checkRecords(batch, allowance, more);
  }

  private static void checkCrc(RecordBatch batch) throws InvalidBatchException {
    if (!batch.isCrcValid()) {
      throw new InvalidBatchException("CRC32C does not fit", BatchHeader.CRC);
    }
  }

  private static void checkRecords(RecordBatch batch, Allowance allowance, RecordCheck more) throws InvalidBatchException {
    int recordCount = batch.recordCount();
    if (recordCount < 1) {
      throw new InvalidBatchException("record count " + recordCount, BatchHeader.RECORD_COUNT);
    }
    if (batch.lastOffsetDelta() != recordCount - 1) {
      throw new InvalidBatchException(
          "last offset delta " + batch.lastOffsetDelta() + " with " + recordCount + " records",
          BatchHeader.LAST_OFFSET_DELTA);
    }
    try (RecordCursor cursor = batch.cursor(allowance)) {
      for (int i = 0; i < recordCount; i++) {
        if (!cursor.next()) {
          throw new InvalidBatchException("ends after " + i + " of " + recordCount + " records", batch.sizeBytes());
        }
        if (cursor.offsetDelta() != i) {
          throw new InvalidBatchException("offset delta " + cursor.offsetDelta() + " of record " + i, cursor.errorPosition());
        }
        more.check(cursor);
      }
      int end = cursor.errorPosition();
      if (cursor.next()) {
        throw new InvalidBatchException("bytes after its last record", end);
      }
    }
  }
}
