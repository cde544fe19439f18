package kaka.checks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.protocol.Response;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;

/**
 * Reads all of a partition in every way there is, and holds it against what was acknowledged: each offset is served as it was,
 * or refused with STORAGE; none is left out, none is another's.
 */
final class PartitionReading {
  /** What must be so, and what to say if it is not. */
  interface Requirement {
    void require(boolean condition, String otherwise);
  }

  private final RawConnection connection;
  private final TopicPartition partition;
  private final DamageImage.Expected expected;
  private final Requirement must;
  private final List<String> refusals = new ArrayList<>();

  PartitionReading(RawConnection connection, TopicPartition partition, DamageImage.Expected expected, Requirement must) {
    this.connection = connection;
    this.partition = partition;
    this.expected = expected;
    this.must = must;
  }

  /** By FETCH. @return the messages of what was refused so far */
  List<String> readRecords(Random random) throws IOException {
    must.require(ask(OffsetForTime.EARLIEST) == expected.logStartOffset, "log start of " + partition);
    must.require(ask(OffsetForTime.LATEST) == end(), partition + " does not end at " + end());
    int maxBytes = 1 + random.nextInt(20_000);
    for (long offset = expected.logStartOffset; offset < end(); ) {
      offset = takeRecords(connection.ask(new Fetch(partition, offset, maxBytes, 0, 0)), offset);
    }
    return refusals;
  }

  /** By FETCH_BATCHES, and by time. @return the messages of what was refused so far */
  List<String> readOtherwise(Random random) throws IOException {
    int maxBytes = 1 + random.nextInt(20_000);
    for (long offset = expected.logStartOffset; offset < end(); ) {
      offset = takeBatches(connection.ask(new FetchBatches(new Fetch(partition, offset, maxBytes, 0, 0))), offset);
    }
    for (int i = 0; i < 5; i++) {
      lookUpTime(random);
    }
    return refusals;
  }

  private long end() {
    return expected.values.size();
  }

  private long ask(long time) throws IOException {
    Response answer = connection.ask(new OffsetForTime(partition, time));
    must.require(answer instanceof OffsetForTimeReply, partition + ": " + answer);
    return ((OffsetForTimeReply) answer).offset();
  }

  /** Returns the offset to go on with. */
  private long takeRecords(Response answer, long offset) {
    if (isRefused(answer)) {
      return offset + 1;
    }
    List<Records.Entry> entries = ((Records) answer).entries();
    must.require(!entries.isEmpty(), partition + " has nothing at offset " + offset);
    long next = offset;
    for (Records.Entry entry : entries) {
      must.require(entry.offset() == next, partition + ": offset " + entry.offset() + ", not " + next);
      take(next, entry.key(), entry.value());
      next++;
    }
    return next;
  }

  private long takeBatches(Response answer, long offset) {
    if (isRefused(answer)) {
      return offset + 1;
    }
    List<RecordBatch> batches = ((RecordBatches) answer).batches();
    must.require(!batches.isEmpty(), partition + " has no batch at offset " + offset);
    long next = -1;
    for (RecordBatch batch : batches) {
      must.require(
          next < 0 ? batch.baseOffset() <= offset && offset <= batch.lastOffset() : batch.baseOffset() == next,
          partition + ": " + batch + " at offset " + (next < 0 ? offset : next));
      must.require(batch.isCrcValid() && batch.leaderEpoch() == 0, partition + ": " + batch + " is not as it was stored");
      next = batch.baseOffset();
      try {
        for (Record record : batch.records()) {
          must.require(record.offset() == next, partition + ": offset " + record.offset() + ", not " + next);
          must.require(record.timestampMs() == DamageImage.Expected.timestampMs(next), partition + ": time at " + next);
          take(next, record.key(), record.value());
          next++;
        }
      } catch (InvalidBatchException e) {
        must.require(false, partition + ": " + batch + ": " + e.getMessage());
      }
    }
    return next;
  }

  private void take(long offset, byte[] key, byte[] value) {
    must.require(offset < end(), partition + " has a record at offset " + offset + " that nobody sent");
    must.require(
        Arrays.equals(value, expected.values.get((int) offset))
            && partition.topic().equals(new String(key, StandardCharsets.UTF_8)),
        partition + " has a wrong record at offset " + offset);
  }

  private void lookUpTime(Random random) throws IOException {
    long end = DamageImage.Expected.timestampMs(end());
    long timeMs = DamageImage.Expected.timestampMs(0) + random.nextInt((int) (end - 1_000_000) + 20) - 5;
    Response answer = connection.ask(new OffsetForTime(partition, timeMs));
    if (isRefused(answer)) {
      return;
    }
    long first = Math.max(0, Math.floorDiv(timeMs - 1_000_000 + DamageImage.TIME_STEP_MS - 1, DamageImage.TIME_STEP_MS));
    long wanted = Math.min(end(), Math.max(expected.logStartOffset, first));
    long found = ((OffsetForTimeReply) answer).offset();
    must.require(found == wanted, partition + ": time " + timeMs + " is at offset " + found + ", not " + wanted);
  }

  private boolean isRefused(Response answer) {
    if (answer instanceof ErrorReply error) {
      must.require(error.code() == ErrorCode.STORAGE.code(), partition + ": " + error);
      refusals.add(error.message());
      return true;
    }
    return false;
  }

  /** The next record gets the next offset, and is there. */
  void append(Random random) throws IOException {
    DamageImage.Expected more = new DamageImage.Expected();
    more.values.addAll(expected.values);
    long base = end();
    Response answer = connection.ask(new ProduceBatch(partition, DamageImage.batch(partition, more, 2, random)));
    must.require(answer instanceof ProduceAck ack && ack.baseOffset() == base, partition + ": " + answer + ", not " + base);
    PartitionReading after = new PartitionReading(connection, partition, more, must);
    must.require(after.takeRecords(connection.ask(new Fetch(partition, base, 1 << 20, 0, 0)), base) == base + 2, "two records");
    must.require(after.refusals.isEmpty(), partition + ": " + after.refusals);
  }
}
