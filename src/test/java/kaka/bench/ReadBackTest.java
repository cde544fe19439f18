package kaka.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Requests;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two connections, ten requests of three records each, all acknowledged; then something is done to what is read back. */
class ReadBackTest {
  private static final int REQUESTS = 10;
  private static final int BATCH = 3;
  private static final int RUN = 4711;

  private final Payload payload = new Payload("topic", RUN, BATCH, 40);
  private final AckLedger[] ledgers = {new AckLedger(), new AckLedger()};
  private final List<RecordBatch> stored = new ArrayList<>();

  private static RecordBatch batch(Payload payload, int connection, long request, long baseOffset) throws Exception {
    byte[] frame = new byte[payload.frameBytes()];
    payload.write(frame, 0, 0, connection, request, 12345, 1_796_000_000_000L);
    ProduceBatch produce = (ProduceBatch) Requests.decode(frame[4], frame, 5, frame.length, 0); // with all its checks
    return produce.batch().numbered(baseOffset, 0);
  }

  @BeforeEach
  void produce() throws Exception {
    for (int request = 0; request < REQUESTS; request++) {
      for (int connection = 0; connection < 2; connection++) {
        long offset = (long) stored.size() * BATCH;
        stored.add(batch(payload, connection, request, offset));
        ledgers[connection].acknowledge(offset);
      }
    }
  }

  private Verification readBack() {
    ReadBack readBack = new ReadBack(payload.forThread(), ledgers);
    stored.forEach(readBack::onBatch);
    return readBack.end();
  }

  private void assertFound(long lost, long moved, long corrupt, Verification found) {
    assertFalse(found.isGood(), found.toString());
    assertEquals(lost, found.lost(), found.toString());
    assertEquals(moved, found.moved(), found.toString());
    assertEquals(corrupt, found.corrupt(), found.toString());
    assertTrue(found.first().isPresent());
  }

  @Test
  void allIsThere() {
    Verification found = readBack();

    assertTrue(found.isGood(), found.toString());
    assertEquals(2 * REQUESTS * BATCH, found.records());
  }

  @Test
  void aBatchThatIsMissingIsLost() {
    stored.remove(7);

    assertFound(1, 0, 0, readBack());
  }

  @Test
  void theLastBatchThatIsMissingIsLost() {
    stored.remove(stored.size() - 1);

    assertFound(1, 0, 0, readBack());
  }

  @Test
  void everythingMissingIsLost() {
    stored.clear();

    assertFound(2 * REQUESTS, 0, 0, readBack());
  }

  @Test
  void batchesWhoseOffsetsChangedAreMoved() throws Exception {
    stored.set(7, stored.get(7).numbered(1000, 0));

    assertFound(0, 1, 0, readBack());
  }

  @Test
  void aBatchThatComesTwiceIsMoved() {
    stored.add(stored.get(3));

    assertFound(0, BATCH, 0, readBack());
  }

  @Test
  void batchesOfOneConnectionInAnotherOrderAreFound() {
    Collections.swap(stored, 4, 6);

    assertFalse(readBack().isGood());
  }

  /** Its own bytes are right, and its CRC fits: it is another record than the one that was sent there. */
  @Test
  void aRecordOfOtherBytesIsCorrupt() throws Exception {
    byte[] bytes = new byte[stored.get(5).sizeBytes()];
    stored.get(5).buffer().get(bytes);
    bytes[bytes.length - 2] ^= 1;
    CRC32C crc = new CRC32C();
    crc.update(bytes, BatchHeader.ATTRIBUTES, bytes.length - BatchHeader.ATTRIBUTES);
    ByteBuffer.wrap(bytes).putInt(BatchHeader.CRC, (int) crc.getValue());
    stored.set(5, RecordBatch.frame(bytes, 0, bytes.length));

    Verification found = readBack();

    assertEquals(1, found.corrupt(), found.toString());
    assertFalse(found.isGood());
  }

  @Test
  void aBatchWhoseCrcDoesNotFitIsCorrupt() throws Exception {
    byte[] bytes = new byte[stored.get(5).sizeBytes()];
    stored.get(5).buffer().get(bytes);
    bytes[bytes.length - 2] ^= 1;
    stored.set(5, RecordBatch.frame(bytes, 0, bytes.length));

    assertEquals(1, readBack().corrupt());
  }

  @Test
  void recordsOfOthersArePassedOver() throws Exception {
    Payload other = new Payload("topic", RUN + 1, BATCH, 40);
    stored.add(4, batch(other, 0, 0, 500));

    assertTrue(readBack().isGood());
  }

  /** Refused, or never answered: nobody promised anything, whether they are there or not. */
  @Test
  void whatWasNotAcknowledgedMayBeThereOrNot() throws Exception {
    ledgers[0].refuse(); // request 10
    ledgers[0].acknowledge(60);
    stored.add(batch(payload, 0, 11, 60));
    stored.add(batch(payload, 0, 12, 63)); // never answered
    ledgers[1].refuse();
    stored.add(batch(payload, 1, 10, 66)); // refused, and stored all the same

    assertTrue(readBack().isGood(), readBack().toString());
  }
}
