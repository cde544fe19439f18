package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of keys: right for every key, bounded, and not the end of the process where there is no memory for it. */
class KeyOffsetsTest {
  @Test
  void twoKeysAreToldApartAndTheTableKeepsItsBound() throws IOException {
    KeyOffsets keys = new KeyOffsets(100 * KeyOffsets.SLOT_BYTES, Long.MAX_VALUE);
    List<byte[]> taken = new ArrayList<>();
    for (int i = 0; ; i++) {
      byte[] key = CompactionLogs.bytes("key-" + i);
      if (!keys.put(key, 0, key.length, i)) {
        break;
      }
      taken.add(key);
    }
    assertEquals(75, taken.size());
    for (int i = 0; i < taken.size(); i++) {
      assertEquals(i, keys.newest(taken.get(i), 0, taken.get(i).length));
      assertTrue(keys.put(taken.get(i), 0, taken.get(i).length, i + 1000), "a known key always fits");
      assertEquals(i + 1000, keys.newest(taken.get(i), 0, taken.get(i).length));
    }
    assertEquals(-1, keys.newest(new byte[] {1}, 0, 1));
    assertNotEquals(-1, keys.newest(taken.get(0), 0, taken.get(0).length));
  }

  @Test
  void theGreatestOffsetOfAKeyCounts() throws IOException {
    KeyOffsets keys = new KeyOffsets(1000, 10);
    byte[] key = {1, 2, 3};
    assertTrue(keys.put(key, 1, 2, 7));
    assertTrue(keys.put(key, 1, 2, 9));
    assertTrue(keys.put(key, 1, 2, 8));
    assertEquals(9, keys.newest(new byte[] {2, 3}, 0, 2));
    assertEquals(-1, keys.newest(key, 0, 2));
    assertTrue(keys.put(key, 0, 0, 0), "an empty key is one, and 0 an offset");
    assertEquals(0, keys.newest(key, 3, 0));
    assertEquals(2, keys.count());
  }

  @Test
  void oneKeyAlwaysFits() throws IOException {
    KeyOffsets keys = new KeyOffsets(0, 1000);
    assertTrue(keys.put(new byte[] {1}, 0, 1, 5));
    assertFalse(keys.put(new byte[] {2}, 0, 1, 6));
    assertEquals(-1, keys.newest(new byte[] {2}, 0, 1));
  }

  @Test
  void aHeapWithoutRoomIsAnIoException() {
    assumeTrue(Runtime.getRuntime().maxMemory() < 8L << 30);
    assertThrows(IOException.class, () -> new KeyOffsets(16L << 30, Long.MAX_VALUE));
  }
}
