package kaka.checks;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The acks that a flood saw, as lines of text {@code A topic partition connection sequence baseOffset recordCount ackedAtMs}:
 * what a broker must still have after whatever is done to it. Kept outside the broker's disk; a line is handed to the operating
 * system before the next answer is read, so it outlives any death but that of this machine.
 */
final class AckJournal implements Closeable {
  /** One acknowledged request: so many records from {@code baseOffset} on, numbered from {@code sequence} on. */
  record Ack(String topic, int partition, long run, int connection, long sequence, long baseOffset, int recordCount, long atMs) {}

  private final BufferedWriter out;

  AckJournal(Path file) throws IOException {
    out = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  synchronized void add(Ack ack) throws IOException {
    out.write("A " + ack.topic + " " + ack.partition + " " + ack.run + " " + ack.connection + " " + ack.sequence + " "
        + ack.baseOffset + " " + ack.recordCount + " " + ack.atMs + "\n");
  }

  synchronized void handOver() throws IOException {
    out.flush();
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }

  static List<Ack> read(Path file) throws IOException {
    List<Ack> acks = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String[] f = line.split(" ");
      acks.add(new Ack(f[1], Integer.parseInt(f[2]), Long.parseLong(f[3]), Integer.parseInt(f[4]), Long.parseLong(f[5]),
          Long.parseLong(f[6]), Integer.parseInt(f[7]), Long.parseLong(f[8])));
    }
    return acks;
  }
}
