package kaka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import kaka.config.KakaConfig;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.log.LogDamagedException;
import kaka.log.LogReader;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.record.Allowance;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** What is stored under a fitting checksum is still looked at: an older broker may have taken it unseen. */
class StoredRecordsTest {
  @Test
  void recordOfTheWrongOffsetIsDamage() throws Exception {
    assertEquals(0, firstOffset("00"));
    assertThrows(LogDamagedException.class, () -> firstOffset("02"));
    assertThrows(LogDamagedException.class, () -> firstOffset("8080808020")); // 2^32
  }

  private static long firstOffset(String offsetDelta) throws Exception {
    Path directory = Path.of("orders-0");
    MemoryDisk disk = new MemoryDisk();
    PartitionLog log = PartitionLog.create(disk, directory, new UUID(1, 2), KakaConfig.parse("").log(), Clock.systemUTC());
    log.append(batch(offsetDelta));
    log.flush();
    try (LogReader reader = log.snapshot().reader(0)) {
      StoredRecords records = new StoredRecords(new ReadWindow(reader, 4096), 0, 0, Allowance.UNLIMITED, new HiddenBatches(log.snapshot()));
      assertEquals(StoredRecords.Step.RECORD, records.next());
      long offset = records.offset();
      assertEquals(StoredRecords.Step.END, records.next());
      return offset;
    } finally {
      log.close();
    }
  }

  private static RecordBatch batch(String offsetDelta) throws Exception {
    byte[] record = HexFormat.of().parseHex("0000" + offsetDelta + "010100");
    ByteBuffer whole = Requesting.batch(new byte[0]).buffer();
    byte[] bytes = new byte[BatchHeader.SIZE + 1 + record.length];
    whole.get(bytes, 0, BatchHeader.SIZE);
    bytes[BatchHeader.SIZE] = (byte) (record.length << 1);
    System.arraycopy(record, 0, bytes, BatchHeader.SIZE + 1, record.length);
    ByteBuffer.wrap(bytes).putInt(BatchHeader.LENGTH, bytes.length - BatchHeader.OVERHEAD);
    CRC32C crc = new CRC32C();
    crc.update(bytes, BatchHeader.ATTRIBUTES, bytes.length - BatchHeader.ATTRIBUTES);
    ByteBuffer.wrap(bytes).putInt(BatchHeader.CRC, (int) crc.getValue());
    return RecordBatch.frame(bytes, 0, bytes.length);
  }
}
