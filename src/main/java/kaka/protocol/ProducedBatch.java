package kaka.protocol;

import java.util.Arrays;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/** The check of a batch that a client made: PRODUCE_BATCH stores it as it is, so nothing odd may get through. */
final class ProducedBatch {
  private static final String FIELD = "batch";

  private ProducedBatch() {}

  /**
   * The batch that is all of {@code array[position, to)}, checked in place and then copied once, so that it does not pin the
   * connection's buffer.
   *
   * @param bodyFrom start of the message body, for positions in errors
   */
  static RecordBatch copy(byte[] array, int bodyFrom, int position, int to) throws ProtocolException {
    try {
      RecordBatch inPlace = RecordBatch.frame(array, position, to);
      if (inPlace.sizeBytes() != to - position) {
        throw ProtocolException.badRequest(
            "end", position + inPlace.sizeBytes() - bodyFrom, (to - position - inPlace.sizeBytes()) + " bytes after the batch");
      }
      inPlace.validate();
      String unsupported = unsupported(inPlace);
      if (!unsupported.isEmpty()) {
        throw new ProtocolException(ErrorCode.UNSUPPORTED, FIELD, position - bodyFrom, unsupported);
      }
      checkProducer(inPlace, position - bodyFrom);
      checkTimestamps(inPlace, position - bodyFrom);
      return RecordBatch.frame(Arrays.copyOfRange(array, position, to), 0, to - position);
    } catch (InvalidBatchException e) {
      throw ProtocolException.badRequest(FIELD, position - bodyFrom, e.getMessage());
    }
  }

  private static String unsupported(RecordBatch batch) {
    if (batch.isCompressed()) {
      return "compressed batches are not supported";
    }
    if (batch.isControl() || batch.isTransactional()) {
      return "transactional and control batches are not supported";
    }
    return "";
  }

  /** Numbered or not: half a number would be stored and not recognised when it comes again. */
  private static void checkProducer(RecordBatch batch, int position) throws ProtocolException {
    if (batch.producerId() == -1) {
      return;
    }
    if (batch.producerId() < 0 || batch.producerEpoch() < 0 || batch.baseSequence() < 0) {
      throw ProtocolException.badRequest(
          FIELD,
          position,
          "producer id " + batch.producerId() + ", epoch " + batch.producerEpoch() + ", sequence " + batch.baseSequence());
    }
  }

  /** Retention and the time index trust the header's max_timestamp, so it must be the truth. */
  private static void checkTimestamps(RecordBatch batch, int position) throws InvalidBatchException, ProtocolException {
    long maxTimestampMs = Long.MIN_VALUE;
    RecordCursor cursor = batch.cursor();
    while (cursor.next()) {
      if (cursor.timestampMs() < 0) {
        throw ProtocolException.badRequest(FIELD, position, "timestamp " + cursor.timestampMs() + ", at least 0");
      }
      maxTimestampMs = Math.max(maxTimestampMs, cursor.timestampMs());
    }
    if (maxTimestampMs != batch.maxTimestampMs()) {
      throw ProtocolException.badRequest(
          FIELD, position, "max_timestamp " + batch.maxTimestampMs() + ", but its records say " + maxTimestampMs);
    }
  }
}
