package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AnswerBufferTest {
  /** Frames of every size around the room there is at first, one after the other. */
  @Test
  void whatIsAddedComesOutInOrderHoweverLargeItIs() {
    for (int first = 0; first < 1100; first += 7) {
      AnswerBuffer buffer = new AnswerBuffer();
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      for (int sizeBytes : new int[] {first, 1, 700, 3}) {
        byte[] frame = new byte[sizeBytes];
        Arrays.fill(frame, (byte) (sizeBytes + 1));
        buffer.add(frame);
        expected.writeBytes(frame);
      }

      assertArrayEquals(expected.toByteArray(), bytes(buffer.take()), "first of " + first);
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
