package kaka.kafka;

import java.util.Optional;
import kaka.record.Allowance;
import kaka.record.BatchValidation;
import kaka.record.InvalidBatchException;
import kaka.record.NoAllowanceException;
import kaka.record.RecordBatch;
import kaka.topic.Topic;
import org.apache.kafka.common.protocol.Errors;

/** A batch that a producer made: its check, and what the producer is told if it is not good. */
final class ProducedBatch {
  /** What is wrong, in Kafka's words. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Errors error;

    private RefusedException(Errors error, String message) {
      super(message, null, false, false);
      this.error = error;
    }

    Errors error() {
      return error;
    }
  }

  private final RecordBatch inPlace;
  private final long maxTimestampMs;

  private ProducedBatch(RecordBatch inPlace, long maxTimestampMs) {
    this.inPlace = inPlace;
    this.maxTimestampMs = maxTimestampMs;
  }

  /**
   * The one batch that is all of {@code array[from, to)}, as it lies there: good to be stored once it is copied. Some clients
   * give a wrong greatest timestamp in its header (kafkajs, where only some messages have timestamps of their own); Kafka
   * corrects it, and so does the copy.
   *
   * @param allowance asked for what decompressing holds
   */
  static ProducedBatch check(byte[] array, int from, int to, Topic topic, Allowance allowance) throws RefusedException {
    RecordBatch batch;
    try {
      batch = RecordBatch.frame(array, from, to);
    } catch (InvalidBatchException e) {
      throw new RefusedException(Errors.CORRUPT_MESSAGE, e.getMessage());
    }
    if (batch.sizeBytes() != to - from) {
      throw new RefusedException(Errors.INVALID_RECORD, "more than one record batch for a partition");
    }
    Optional<String> tooLarge = topic.settings().problemOfSize(batch.sizeBytes());
    if (tooLarge.isPresent()) {
      throw new RefusedException(Errors.MESSAGE_TOO_LARGE, tooLarge.get());
    }
    try {
      BatchValidation validation = new BatchValidation(true, topic.settings().compacts());
      return new ProducedBatch(batch, validation.checkAllButMaxTimestamp(batch, allowance));
    } catch (InvalidBatchException e) {
      throw new RefusedException(errorOf(e, batch), e.getMessage());
    } catch (NoAllowanceException e) {
      throw noRoom();
    }
  }

  private static RefusedException noRoom() {
    return new RefusedException(KafkaErrors.NO_ROOM, KafkaErrors.NO_MEMORY);
  }

  private static Errors errorOf(InvalidBatchException problem, RecordBatch batch) {
    return switch (problem.kind()) {
      case FORMAT -> batch.isCrcValid() ? Errors.INVALID_RECORD : Errors.CORRUPT_MESSAGE;
      case UNSUPPORTED -> batch.isCompressed() ? Errors.UNSUPPORTED_COMPRESSION_TYPE : Errors.INVALID_RECORD;
      case TOO_LARGE -> Errors.MESSAGE_TOO_LARGE;
      case NO_KEY -> Errors.INVALID_RECORD;
      case TIMESTAMP -> Errors.INVALID_TIMESTAMP;
    };
  }

  int sizeBytes() {
    return inPlace.sizeBytes();
  }

  /**
   * As {@link #detached()}.
   *
   * @param allowance asked for the bytes that are copied, which are the caller's to give back
   */
  RecordBatch detached(Allowance allowance) throws RefusedException {
    boolean isCopied = inPlace.maxTimestampMs() != maxTimestampMs || !inPlace.isDetached();
    if (isCopied && !allowance.tryReserve(inPlace.sizeBytes())) {
      throw noRoom();
    }
    return detached();
  }

  /** The same batch, so that it does not pin the connection's buffer; see {@link RecordBatch#detached}. */
  RecordBatch detached() {
    return inPlace.maxTimestampMs() == maxTimestampMs ? inPlace.detached() : inPlace.withMaxTimestamp(maxTimestampMs);
  }
}
