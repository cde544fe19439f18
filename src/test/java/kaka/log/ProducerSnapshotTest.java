package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProducerSnapshotTest {
  private static final LogFiles FILES = new LogFiles(TestLogs.DIRECTORY);

  private static MemoryDisk disk() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    disk.createDirectory(TestLogs.DIRECTORY);
    return disk;
  }

  private static String hex(ProducerState state) {
    return HexFormat.of().formatHex(ProducerSnapshot.encode(93, state).array());
  }

  @Test
  void layoutIsAsDocumented() {
    ProducerState state = new ProducerState();
    state.add(7, (short) 2, 5, 6, 40, 1000);
    state.add(7, (short) 2, 7, 7, 42, 2000);
    state.beginTransaction(7, 42);

    assertEquals(
        "6b617073" + "00000002" + "000000000000005d" // magic, version, base offset 93
            + "000000000000002a" + "00000001" // transactions from 42 on, one producer
            + "0000000000000007" + "00000000000007d0" + "0002" // id 7, last used, epoch 2
            + "ffffffff" + "000000000000002a" + "02" // no coordinator epoch, a transaction from 42 on, two batches
            + "00000005" + "00000006" + "0000000000000028"
            + "00000007" + "00000007" + "000000000000002a",
        hex(state).substring(0, hex(state).length() - 8));
  }

  /** As it was written before there were transactions. */
  @Test
  void versionOneIsRead() throws IOException {
    MemoryDisk disk = disk();
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(200);
    bytes.putInt(0x6b617073).putInt(1).putLong(93).putInt(1);
    bytes.putLong(7).putLong(2000).putShort((short) 2).put((byte) 1).putInt(5).putInt(6).putLong(40);
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes.duplicate().flip());
    bytes.putInt((int) crc.getValue()).flip();
    TestLogs.setContent(disk, FILES.snapshot(93), java.util.Arrays.copyOf(bytes.array(), bytes.limit()));

    ProducerState read = new ProducerState();
    ProducerSnapshot.read(disk, FILES, 93, read);

    ProducerState expected = new ProducerState();
    expected.add(7, (short) 2, 5, 6, 40, 2000);
    assertEquals(hex(expected), hex(read));
    assertEquals(Long.MAX_VALUE, read.transactionsFrom());
  }

  /** The largest there can be; who wrote least recently still makes room first. */
  @Test
  void aFullStateComesBackAsItWas() throws IOException {
    MemoryDisk disk = disk();
    ProducerState state = new ProducerState();
    for (int i = 0; i < ProducerState.REMEMBERED_BATCHES + 1; i++) {
      for (int id = 0; id < ProducerState.MAX_PRODUCERS; id++) {
        state.add(id, (short) 1, i, i, i * 10_000L + id, 1000 + i);
      }
    }
    ProducerSnapshot.write(disk, FILES, 93, state);

    ProducerState read = new ProducerState();
    ProducerSnapshot.read(disk, FILES, 93, read);

    assertEquals(hex(state), hex(read));
    read.add(1_000_000, (short) 0, 0, 0, 1, 2000);
    assertTrue(read.check(ProducerStateTest.batch(0, 1, 6, 1)) instanceof ProducerCheck.Refused);
    assertEquals(ProducerCheck.Accepted.INSTANCE, read.check(ProducerStateTest.batch(1, 1, 6, 1)));
  }

  @Test
  void aSnapshotUnderAnotherNameIsNotTaken() throws IOException {
    MemoryDisk disk = disk();
    ProducerState state = new ProducerState();
    state.add(7, (short) 2, 5, 6, 40, 1000);
    ProducerSnapshot.write(disk, FILES, 93, state);
    disk.move(FILES.snapshot(93), FILES.snapshot(94));

    ProducerState read = new ProducerState();
    assertThrows(IOException.class, () -> ProducerSnapshot.read(disk, FILES, 94, read));
    assertThrows(IOException.class, () -> ProducerSnapshot.read(disk, FILES, 93, read));
    assertTrue(read.isEmpty());
  }
}
