package kaka.client;

import java.util.ArrayList;
import java.util.List;
import kaka.client.KakaException.Reason;
import kaka.protocol.RecordBatches;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;

/** One answer to a fetch, to be taken apart; its CRCs are checked. Not for sharing between threads. */
final class FetchedBatches {
  /** So many bytes of decompressed records are enough for one look: the batch in which they are reached is the last. */
  private static final long ENOUGH_DECOMPRESSED_BYTES = 8 << 20;

  private final TopicPartition partition;
  private final long fetchOffset;
  private final List<RecordBatch> batches;
  private final long sizeBytes;
  private final long nextOffset;
  private int given;
  private int givenBefore;
  private int read;
  private long decompressedBytes;

  FetchedBatches(TopicPartition partition, long fetchOffset, RecordBatches answer) {
    this.partition = partition;
    this.fetchOffset = Math.max(fetchOffset, answer.logStartOffset()); // a log can start in the middle of a batch
    this.batches = answer.batches();
    this.sizeBytes = batches.stream().mapToLong(RecordBatch::sizeBytes).sum();
    this.nextOffset = nextOffset(fetchOffset, answer);
  }

  private static long nextOffset(long fetchOffset, RecordBatches answer) {
    if (answer.batches().isEmpty()) {
      return Math.max(fetchOffset, answer.logStartOffset()); // what was below is no longer kept
    }
    return Math.max(fetchOffset, answer.batches().get(answer.batches().size() - 1).lastOffset() + 1);
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Where the next fetch goes on. */
  long nextOffset() {
    return nextOffset;
  }

  /**
   * The records, copied out, that are at or above the offset asked for and the log's start, and not {@link #give}n yet;
   * without transaction markers. Those of one batch come together or not at all, and it ends before one that cannot be read.
   * What is compressed is decompressed here, no more of it than is given: it may end early for that.
   *
   * @throws KakaException BAD_BATCH, if the records of the very next batch are no records
   */
  List<ConsumedRecord> records() {
    List<ConsumedRecord> records = new ArrayList<>();
    decompressedBytes = 0;
    for (read = given; read < batches.size() && decompressedBytes < ENOUGH_DECOMPRESSED_BYTES; read++) {
      try {
        addRecords(batches.get(read), records);
      } catch (KakaException e) {
        if (read == given) {
          throw e;
        }
        break;
      }
    }
    return records;
  }

  /** What {@link #records} returned goes to its reader. */
  void give() {
    givenBefore = given;
    given = read;
  }

  /** It did not: undoes the last {@link #give}. */
  void takeBack() {
    given = givenBefore;
  }

  boolean isExhausted() {
    return given == batches.size();
  }

  /** The offset of the next record that was not given. */
  long position() {
    return isExhausted() ? nextOffset : Math.max(fetchOffset, batches.get(given).baseOffset());
  }

  private void addRecords(RecordBatch batch, List<ConsumedRecord> records) {
    if (batch.isControl()) {
      return;
    }
    int before = records.size();
    try (RecordCursor cursor = batch.cursor()) {
      while (cursor.next()) {
        if (batch.isCompressed()) {
          decompressedBytes += Math.max(0, cursor.keySize()) + Math.max(0, cursor.valueSize());
        }
        if (cursor.offset() >= fetchOffset) {
          records.add(copy(cursor.record()));
        }
      }
    } catch (InvalidBatchException e) {
      records.subList(before, records.size()).clear();
      throw bad(batch, "is damaged: " + e.getMessage(), e);
    }
  }

  private ConsumedRecord copy(Record record) {
    return new ConsumedRecord(
        partition, record.offset(), record.timestampMs(), record.key(), record.value(), record.headers());
  }

  private KakaException bad(RecordBatch batch, String what, Exception cause) {
    String which = "the batch at offset " + batch.baseOffset() + " of " + partition + " ";
    return new KakaException(Reason.BAD_BATCH, which + what, cause);
  }
}
