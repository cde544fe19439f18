package kaka.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.junit.jupiter.api.Test;

/** The bytes of transaction markers, in our eyes and in Kafka's. */
class TransactionMarkerTest {
  private static final TransactionMarker COMMIT = new TransactionMarker(7, (short) 3, true, 5);

  @Test
  void layoutIsAsDocumented() throws InvalidBatchException {
    Record record = COMMIT.toBatch(1000).records().get(0);

    assertEquals("00000001", HexFormat.of().formatHex(record.key()));
    assertEquals("000000000005", HexFormat.of().formatHex(record.value()));
    assertEquals(1000, record.timestampMs());
  }

  @Test
  void comesBackAsItWas() throws InvalidBatchException {
    for (boolean isCommit : new boolean[] {true, false}) {
      TransactionMarker marker = new TransactionMarker(1L << 40, Short.MAX_VALUE, isCommit, 12);
      RecordBatch batch = marker.toBatch(1);

      batch.validate();
      assertEquals(marker, TransactionMarker.of(batch));
      assertTrue(batch.isControl() && batch.isTransactional());
      assertTrue(batch.sizeBytes() <= TransactionMarker.MAX_BYTES);
    }
  }

  @Test
  void kafkaReadsIt() {
    MutableRecordBatch batch =
        MemoryRecords.readableRecords(COMMIT.toBatch(1000).buffer()).batches().iterator().next();

    batch.ensureValid();
    assertTrue(batch.isControlBatch() && batch.isTransactional());
    assertEquals(7, batch.producerId());
    assertEquals(3, batch.producerEpoch());
    assertEquals(-1, batch.baseSequence());
    EndTransactionMarker read = EndTransactionMarker.deserialize(batch.iterator().next());
    assertEquals(ControlRecordType.COMMIT, read.controlType());
    assertEquals(5, read.coordinatorEpoch());
  }

  @Test
  void whatIsNoMarkerIsRefused() {
    RecordBatchBuilder data = new RecordBatchBuilder(16).producer(7, (short) 3, 0).transactional();
    RecordBatch transactional = data.append(1, new byte[] {0, 0, 0, 1}, new byte[6], List.of()).build();
    RecordBatch otherType = control(new byte[] {0, 0, 0, 2}, new byte[6]);
    RecordBatch shortKey = control(new byte[3], new byte[6]);
    RecordBatch shortValue = control(new byte[] {0, 0, 0, 1}, new byte[5]);

    assertFalse(transactional.isControl());
    for (RecordBatch each : List.of(transactional, otherType, shortKey, shortValue)) {
      assertThrows(InvalidBatchException.class, () -> TransactionMarker.of(each));
    }
  }

  private static RecordBatch control(byte[] key, byte[] value) {
    return new RecordBatchBuilder(16)
        .producer(7, (short) 3, -1)
        .attributes(BatchHeader.TRANSACTIONAL | BatchHeader.CONTROL)
        .append(1, key, value, List.of())
        .build();
  }
}
