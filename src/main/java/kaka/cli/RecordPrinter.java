package kaka.cli;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import kaka.client.ConsumedRecord;

/** Prints records through a buffer, and counts. Not for sharing between threads, but for the counts. */
final class RecordPrinter {
  private static final int BUFFER_BYTES = 64 * 1024;

  /** Counts what goes in, whoever wrote it. */
  private final class Counting extends FilterOutputStream {
    Counting(OutputStream target) {
      super(target);
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      bytes++;
    }

    @Override
    public void write(byte[] array, int from, int size) throws IOException {
      out.write(array, from, size);
      bytes += size;
    }
  }

  private final OutputStream out;
  private final RecordFormat format;
  private final byte separator;
  private final boolean isMarkHonoured;
  private boolean isSeparatorDue;
  private volatile long records;
  private volatile long bytes;

  private RecordPrinter(OutputStream out, RecordFormat format, byte separator, boolean isMarkHonoured) {
    this.out = new Counting(new BufferedOutputStream(out, BUFFER_BYTES));
    this.format = format;
    this.separator = separator;
    this.isMarkHonoured = isMarkHonoured;
  }

  /** Prints what {@code format} says. */
  static RecordPrinter formatted(OutputStream out, RecordFormat format) {
    return new RecordPrinter(out, format, (byte) 0, false);
  }

  /**
   * Prints values, each followed by {@code separator}.
   *
   * @param isMarkHonoured whether the last one goes without if it carries the {@link UnterminatedMark}
   */
  static RecordPrinter values(OutputStream out, byte separator, boolean isMarkHonoured) {
    RecordFormat format = isMarkHonoured ? RecordFormat.parse("%v") : RecordFormat.valueThen(separator);
    return new RecordPrinter(out, format, separator, isMarkHonoured);
  }

  void print(ConsumedRecord record) throws IOException {
    if (isSeparatorDue) {
      out.write(separator);
      isSeparatorDue = false;
    }
    format.write(record, out);
    if (isMarkHonoured) {
      if (UnterminatedMark.isOn(record)) {
        isSeparatorDue = true; // before the next, if one follows
      } else {
        out.write(separator);
      }
    }
    records++;
  }

  void flush() throws IOException {
    out.flush();
  }

  long records() {
    return records;
  }

  /** Bytes printed. */
  long bytes() {
    return bytes;
  }

  /** Whether {@code e} says that nobody reads the pipe any more, as behind {@code | head}. */
  static boolean isReaderGone(IOException e) {
    return e.getMessage() != null && (e.getMessage().contains("Broken pipe") || e.getMessage().contains("Connection reset"));
  }
}
