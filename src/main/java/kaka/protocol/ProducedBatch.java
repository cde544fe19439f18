package kaka.protocol;

import kaka.record.Allowance;
import kaka.record.BatchValidation;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/** A batch that a client made, as PRODUCE_BATCH carries it. */
final class ProducedBatch {
  private static final String FIELD = "batch";

  private ProducedBatch() {}

  /**
   * The batch that is all of {@code array[position, to)}, checked, and in place.
   *
   * @param bodyFrom start of the message body, for positions in errors
   * @throws kaka.record.NoAllowanceException if there is no room to decompress it
   */
  static RecordBatch check(
      byte[] array, int bodyFrom, int position, int to, BatchValidation validation, Allowance allowance)
      throws ProtocolException {
    try {
      RecordBatch inPlace = RecordBatch.frame(array, position, to);
      if (inPlace.sizeBytes() != to - position) {
        throw ProtocolException.badRequest(
            "end", position + inPlace.sizeBytes() - bodyFrom, (to - position - inPlace.sizeBytes()) + " bytes after the batch");
      }
      validation.check(inPlace, allowance);
      return inPlace;
    } catch (InvalidBatchException e) {
      int at = position - bodyFrom;
      throw switch (e.kind()) {
        case UNSUPPORTED -> new ProtocolException(ErrorCode.UNSUPPORTED, FIELD, at, e.getMessage());
        case TOO_LARGE -> new ProtocolException(ErrorCode.TOO_LARGE, FIELD, at, e.getMessage());
        case FORMAT, TIMESTAMP -> ProtocolException.badRequest(FIELD, at, e.getMessage());
        case NO_KEY -> ProtocolException.wellFormed(FIELD, at, e.getMessage());
      };
    }
  }
}
