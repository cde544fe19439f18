package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import kaka.protocol.ProducerIdentity;
import kaka.record.Codec;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

class BatchNumberingTest {
  private final BatchNumbering numbering = new BatchNumbering();
  private final PartitionQueue queue = new PartitionQueue(new TopicPartition("t", 0));

  private PendingBatch numbered(int recordCount) {
    PendingBatch batch = new PendingBatch(queue, 0, 0, 64, Codec.NONE);
    for (int i = 0; i < recordCount; i++) {
      batch.add(ProducerRecord.of(queue.partition(), null, new byte[1]), 1000, 1);
    }
    numbering.number(batch);
    return batch;
  }

  @Test
  void sequenceWrapsAfterTwoToTheThirtyOneMinusOne() {
    numbering.setIdentity(new ProducerIdentity(7, (short) 0));
    queue.nextSequence = Integer.MAX_VALUE - 1;

    assertEquals(Integer.MAX_VALUE - 1, numbered(3).baseSequence()); // 2^31 - 2, 2^31 - 1, 0
    assertEquals(1, numbered(1).baseSequence());
  }

  @Test
  void aBatchKeepsItsNumber() {
    numbering.setIdentity(new ProducerIdentity(7, (short) 0));
    PendingBatch first = numbered(2);
    numbered(2);

    numbering.number(first);

    assertEquals(0, first.baseSequence());
    assertEquals(4, queue.nextSequence);
  }

  @Test
  void epochsEndAtTwoToTheFifteenMinusOne() {
    numbering.setIdentity(new ProducerIdentity(7, (short) (Short.MAX_VALUE - 1)));

    assertTrue(numbering.beginEpoch(queue));
    assertFalse(numbering.beginEpoch(queue));
  }
}
