package kaka.checks;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What producers know of their transactions, as lines {@code B|C|A producer number}: begun, committed, aborted, each when it has been
 * answered. One that is only begun may have become either. A line is with the operating system before the next request is sent.
 */
final class TransactionJournal implements Closeable {
  static final char BEGUN = 'B';
  static final char COMMITTED = 'C';
  static final char ABORTED = 'A';

  /** The {@code number}-th transaction of a producer, from 1 on. */
  record Id(String producer, long number) {
    @Override
    public String toString() {
      return producer + " " + number;
    }
  }

  private final Writer out;

  TransactionJournal(Path file) throws IOException {
    out = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  synchronized void note(char what, Id id) throws IOException {
    out.write(what + " " + id + "\n");
    out.flush();
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }

  /** What is known last of each. */
  static Map<Id, Character> read(Path file) throws IOException {
    Map<Id, Character> known = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String[] fields = line.split(" ");
      known.put(new Id(fields[1], Long.parseLong(fields[2])), line.charAt(0));
    }
    return known;
  }
}
