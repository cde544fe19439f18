package kaka.record;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The end of a producer's transaction in a partition (KIP-98): all that it wrote there since the transaction began is
 * committed, or to be taken for never written. Made by the broker only, stored as a control batch of one record:
 *
 * <pre>
 * key    version i16 (0) | type i16 (0 abort, 1 commit)
 * value  version i16 (0) | coordinator_epoch i32
 * </pre>
 *
 * @param producerEpoch the producer's; a newer one than has written fences those that are older
 */
public record TransactionMarker(long producerId, short producerEpoch, boolean isCommit, int coordinatorEpoch) {
  /** Bytes of its batch, at most. */
  public static final int MAX_BYTES = BatchHeader.SIZE + RecordBatchBuilder.MAX_RECORD_OVERHEAD + 4 + 6;

  private static final short ABORT = 0;
  private static final short COMMIT = 1;

  public TransactionMarker {
    if (producerId < 0 || producerEpoch < 0) {
      throw new IllegalArgumentException("producer id " + producerId + ", epoch " + producerEpoch);
    }
  }

  /** The batch that stands for it in a log. */
  public RecordBatch toBatch(long timestampMs) {
    byte[] key = ByteBuffer.allocate(4).putShort((short) 0).putShort(isCommit ? COMMIT : ABORT).array();
    byte[] value = ByteBuffer.allocate(6).putShort((short) 0).putInt(coordinatorEpoch).array();
    return new RecordBatchBuilder(MAX_BYTES)
        .producer(producerId, producerEpoch, -1)
        .attributes(BatchHeader.TRANSACTIONAL | BatchHeader.CONTROL)
        .append(timestampMs, key, value, List.of())
        .build();
  }

  /**
   * What a control batch says.
   *
   * @throws InvalidBatchException if it is not the end of a transaction
   */
  public static TransactionMarker of(RecordBatch batch) throws InvalidBatchException {
    try (RecordCursor record = batch.cursor()) {
      if (!batch.isControl() || batch.producerId() < 0 || batch.producerEpoch() < 0 || !record.next()) {
        throw new InvalidBatchException("no control batch of a producer", BatchHeader.ATTRIBUTES);
      }
      if (record.keySize() < 4 || record.valueSize() < 6) {
        throw new InvalidBatchException("control record cut short", BatchHeader.SIZE);
      }
      short type = ByteBuffer.wrap(record.array(), record.keyPosition() + 2, 2).getShort();
      if (type != ABORT && type != COMMIT) {
        throw new InvalidBatchException("control record of type " + type, BatchHeader.SIZE);
      }
      int coordinatorEpoch = ByteBuffer.wrap(record.array(), record.valuePosition() + 2, 4).getInt();
      return new TransactionMarker(batch.producerId(), batch.producerEpoch(), type == COMMIT, coordinatorEpoch);
    }
  }
}
