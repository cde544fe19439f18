package kaka.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

class RecordSplitterTest {
  private static final int NO_LIMIT = 1 << 20;

  /** Gives at most {@code most} bytes at a time, as a pipe may. */
  private static InputStream inPieces(byte[] bytes, int most) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] into, int from, int size) {
        return super.read(into, from, Math.min(size, most));
      }
    };
  }

  private static List<String> split(String input, char separator, int bufferBytes, int pieceBytes) throws IOException {
    RecordSplitter splitter =
        new RecordSplitter(inPieces(input.getBytes(ISO_8859_1), pieceBytes), (byte) separator, NO_LIMIT, bufferBytes);
    List<String> records = new ArrayList<>();
    while (splitter.next()) {
      records.add(new String(splitter.record(), ISO_8859_1) + (splitter.isTerminated() ? "|" : ""));
    }
    return records;
  }

  private static List<String> lines(String input) throws IOException {
    return split(input, '\n', 64, 64);
  }

  @Test
  void separatorIsNotPartOfTheRecord() throws IOException {
    assertEquals(List.of("a|", "b|"), lines("a\nb\n"));
  }

  @Test
  void lastLineWithoutNewlineIsARecord() throws IOException {
    assertEquals(List.of("a|", "b"), lines("a\nb"));
  }

  @Test
  void emptyLinesAreRecords() throws IOException {
    assertEquals(List.of("|", "|", "a|", "|"), lines("\n\na\n\n"));
  }

  @Test
  void emptyInputHasNone() throws IOException {
    assertEquals(List.of(), lines(""));
  }

  @Test
  void carriageReturnIsKept() throws IOException {
    assertEquals(List.of("a\r|", "\r|"), lines("a\r\n\r\n"));
  }

  @Test
  void newlineIsAByteLikeOthersBetweenZeros() throws IOException {
    assertEquals(List.of("a\nb|", "\n|", "c"), split("a\nb\0\n\0c", '\0', 64, 64));
  }

  /** All strings of up to 7 of three bytes, all buffers and pieces up to 8: every position of every cut. */
  @Test
  void everyCutGivesTheSameRecords() throws IOException {
    String alphabet = "a\n\u00ff";
    for (int length = 0, strings = 1; length <= 7; length++, strings *= 3) {
      for (int number = 0; number < strings; number++) {
        StringBuilder input = new StringBuilder();
        for (int i = 0, rest = number; i < length; i++, rest /= 3) {
          input.append(alphabet.charAt(rest % 3));
        }
        List<String> whole = model(input.toString());
        for (int bufferBytes = 1; bufferBytes <= length + 1; bufferBytes++) {
          assertEquals(whole, split(input.toString(), '\n', bufferBytes, bufferBytes));
        }
        assertEquals(whole, split(input.toString(), '\n', 8, 1 + number % 3));
      }
    }
  }

  private static List<String> model(String input) {
    List<String> records = new ArrayList<>();
    int from = 0;
    for (int end = input.indexOf('\n'); end >= 0; end = input.indexOf('\n', from)) {
      records.add(input.substring(from, end) + "|");
      from = end + 1;
    }
    if (from < input.length()) {
      records.add(input.substring(from));
    }
    return records;
  }

  @Test
  void longRandomInputIsCutAsByTheModel() throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    byte[] bytes = new byte[200_000];
    random.nextBytes(bytes);
    String input = new String(bytes, ISO_8859_1);

    assertEquals(model(input), split(input, '\n', 1000, 777), "seed " + seed);
  }

  @Test
  void recordOfTheGreatestLengthPassesAndOneByteMoreDoesNot() throws IOException {
    for (int bufferBytes = 1; bufferBytes <= 12; bufferBytes++) {
      byte[] input = "12345\n123456\n".getBytes(ISO_8859_1);
      RecordSplitter splitter = new RecordSplitter(inPieces(input, bufferBytes), (byte) '\n', 5, bufferBytes);

      assertTrue(splitter.next());
      IOException tooLong = assertThrows(RecordSplitter.TooLongException.class, splitter::next);
      assertEquals("record 2 is longer than 5 bytes, the broker's limit", tooLong.getMessage());
    }
  }

  /** A line without end must not be collected: the limit holds before the separator, or the end, has come. */
  @Test
  void endlessRecordIsRefusedAtTheLimit() {
    InputStream endless =
        new InputStream() {
          private long given;

          @Override
          public int read() {
            given++;
            assertTrue(given < 4096, "reads on and on");
            return 'x';
          }

          @Override
          public int read(byte[] into, int from, int size) {
            into[from] = (byte) read();
            return 1;
          }
        };
    RecordSplitter splitter = new RecordSplitter(endless, (byte) '\n', 1000, 64);

    assertThrows(RecordSplitter.TooLongException.class, splitter::next);
  }

  @Test
  void endStaysTheEnd() throws IOException {
    RecordSplitter splitter = new RecordSplitter(inPieces(new byte[] {'a'}, 1), (byte) '\n', 5, 5);

    assertTrue(splitter.next());
    assertFalse(splitter.next());
    assertFalse(splitter.next());
  }
}
