package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import kaka.partition.MemoryBudget;
import kaka.record.Allowance;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.topic.Topic;
import kaka.topic.TopicSettings;
import org.junit.jupiter.api.Test;

class ProduceCheckTest {
  private static final Topic TOPIC = new Topic("topic", new UUID(1, 2), 1, TopicSettings.NONE);

  private static final class TurnIsOverException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Has no room, and has had enough of it. */
  private static final Allowance NOTHING =
      new Allowance() {
        @Override
        public boolean tryReserve(long bytes) {
          return false;
        }

        @Override
        public void release(long bytes) {}

        @Override
        public void worked(long bytes) {
          throw new TurnIsOverException();
        }
      };

  private final ProduceCheck check = new ProduceCheck();

  private RecordBatch added() {
    return added(0);
  }

  /** @param besideBytes that the request has beside the batch */
  private RecordBatch added(int besideBytes) {
    RecordBatch plain = new RecordBatchBuilder(64).append(0, null, new byte[100], List.of()).build();
    RecordBatch batch = BatchCompression.compress(plain, Codec.GZIP);
    byte[] bytes = new byte[batch.sizeBytes() + besideBytes];
    batch.copyTo(0, batch.sizeBytes(), java.nio.ByteBuffer.wrap(bytes));
    check.add(null, null, TOPIC, bytes, 0, batch.sizeBytes());
    return batch;
  }

  /** Each is there before the request is let go of. */
  @Test
  void copiesOfBatchesAreChargedBeforeTheyAreMade() {
    RecordBatch batch = added(10_000);
    added(10_000);
    added(0);
    MemoryBudget memory = new MemoryBudget(batch.sizeBytes() + 10);
    while (check.next(Allowance.UNLIMITED)) {}

    List<ProduceCheck.Batch> checked = check.result(memory);

    assertEquals(batch.sizeBytes(), memory.usedBytes());
    assertEquals(Optional.of(batch.sizeBytes()), checked.get(0).good().map(RecordBatch::sizeBytes));
    assertEquals(Optional.of(KafkaErrors.NO_MEMORY), checked.get(1).refusal().map(Throwable::getMessage));
    assertEquals(Optional.empty(), checked.get(1).good().map(RecordBatch::sizeBytes));
    assertEquals(Optional.empty(), checked.get(2).refusal().map(Throwable::getMessage), "it is all of its bytes, and not copied");
  }

  private ProduceCheck.Batch only(Allowance allowance) {
    return check.result(allowance).get(0);
  }

  /** Both would have it answered as refused, and its bytes charged for ever. */
  @Test
  void batchThatHadNoRoomInATurnThatEndedIsGoodInTheNext() {
    RecordBatch batch = added();

    assertThrows(TurnIsOverException.class, () -> check.next(NOTHING));
    assertFalse(check.next(Allowance.UNLIMITED));

    ProduceCheck.Batch checked = only(Allowance.UNLIMITED);
    assertEquals(Optional.empty(), checked.refusal().map(Throwable::getMessage));
    assertEquals(Optional.of(batch.sizeBytes()), checked.good().map(RecordBatch::sizeBytes));
  }

  @Test
  void batchThatHasNoRoomIsRefusedAndNothingElse() {
    added();
    Allowance full =
        new Allowance() {
          @Override
          public boolean tryReserve(long bytes) {
            return false;
          }

          @Override
          public void release(long bytes) {}
        };

    assertFalse(check.next(full));

    ProduceCheck.Batch checked = only(full);
    assertEquals(Optional.of(KafkaErrors.NO_MEMORY), checked.refusal().map(Throwable::getMessage));
    assertEquals(Optional.empty(), checked.good().map(RecordBatch::sizeBytes));
  }
}
