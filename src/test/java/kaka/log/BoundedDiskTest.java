package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedDiskTest {
  private final DescriptorBudget descriptors = new DescriptorBudget(16); // a reserve of 4
  private final BoundedDisk disk = new BoundedDisk(new MemoryDisk(), descriptors);
  private final List<DiskFile> open = new ArrayList<>();

  /** Readers first, then new partitions: the last descriptors are for logs that must roll. */
  @Test
  void readersStopBeforeWritersDo() throws IOException {
    for (int i = 0; i < 12; i++) {
      open.add(disk.create(Path.of("f" + i)));
    }

    IOException refused = assertThrows(IOException.class, () -> disk.openForReading(Path.of("f0")));
    assertTrue(refused.getMessage().contains("ulimit -n"), refused.getMessage());
    assertThrows(IOException.class, () -> disk.openForWriting(Path.of("f0")));
    assertThrows(IOException.class, () -> disk.createSpare(Path.of("f12")));
    assertFalse(disk.exists(Path.of("f12")), "refused before it was made");
    for (int i = 12; i < 16; i++) {
      open.add(disk.create(Path.of("f" + i)));
    }
    assertThrows(IOException.class, () -> disk.create(Path.of("f16")));
    assertFalse(disk.exists(Path.of("f16")), "refused before it was made");
  }

  @Test
  void closedFilesCountOnceLessAndFailedOpensNotAtAll() throws IOException {
    DiskFile file = disk.create(Path.of("f"));
    file.close();
    file.close();
    assertThrows(IOException.class, () -> disk.openForReading(Path.of("missing")));

    assertEquals(0, descriptors.openCount());
    assertTrue(descriptors.hasRoomFor(8));
    assertFalse(descriptors.hasRoomFor(9));
  }
}
