package kaka.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import kaka.log.AbortedTransaction;
import kaka.log.Disk;
import kaka.log.RealDisk;
import kaka.log.SegmentScan;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka log dump}: prints what is in segment files, damage included. */
@Command(
    name = "dump",
    sortOptions = false,
    description = {
      "Print the batches of a segment file, or of all segments in a partition's directory; with --records their records.",
      "",
      "Reads only, and may do so while a broker runs: then the last batch can look cut short. Keys and values are printed with"
          + " \\n, \\t, \\xHH for what is not printable. What is damaged is shown as such, and the dump goes on behind it.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 something is damaged or cannot be read, 2 wrong usage.",
      "",
      "Examples:  kaka log dump kaka-data/logs-0",
      "           kaka log dump kaka-data/logs-0/00000000000000000000.log --records --offset 100 --max 5",
      "           kaka log dump kaka-data/__topics-0 --records --json"
    })
final class LogDumpCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE|DIRECTORY", description = "A .log, .cut or .txnindex file, or a partition's directory.")
  private Path path;

  @Option(names = "--records", description = "Print each record too.")
  private boolean withRecords;

  @Option(names = "--json", description = "Print a JSON object a line; bytes that are not UTF-8 as ...Base64.")
  private boolean isJson;

  @Option(names = "--offset", paramLabel = "N", description = "Start with the batch, or the record, that has this offset.")
  private Long fromOffset;

  @Option(names = {"-n", "--max"}, paramLabel = "N", description = "End after so many batches, or records with --records.")
  private Long max;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private final Disk disk = new RealDisk();
  private OutputStream out;
  private DumpFormat format;
  private long printed;
  private long damaged;

  LogDumpCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    if (max != null && max < 0 || fromOffset != null && fromOffset < 0) {
      throw new ParameterException(spec.commandLine(), "--offset and --max: at least 0");
    }
    if (!Files.exists(path)) {
      throw new ParameterException(spec.commandLine(), path + " does not exist");
    }
    List<Path> logs = Files.isDirectory(path) ? SegmentScan.logsOf(disk, path) : List.of(path);
    if (logs.isEmpty()) {
      throw new ParameterException(spec.commandLine(), path + " holds no segment");
    }
    out = new BufferedOutputStream(streams.out(), 1 << 16);
    format = isJson ? DumpFormat.JSON : DumpFormat.TEXT;
    try {
      for (Path log : logs) {
        if (AbortedTransaction.isIndex(log)) {
          dumpIndex(log);
        } else {
          dump(log);
        }
      }
      out.flush();
    } catch (IOException e) {
      if (!RecordPrinter.isReaderGone(e)) {
        throw e;
      }
    }
    if (damaged > 0) {
      streams.complain(damaged + (damaged == 1 ? " place is" : " places are") + " damaged; kaka log check says what that means");
      return ExitCode.FAILED;
    }
    return ExitCode.OK;
  }

  private boolean isEnough() {
    return max != null && printed >= max;
  }

  private void dump(Path log) throws IOException {
    if (isEnough()) {
      return;
    }
    try (SegmentScan scan = SegmentScan.open(disk, log)) {
      boolean named = false;
      for (Optional<SegmentScan.Piece> piece = scan.next(); piece.isPresent() && !isEnough(); piece = scan.next()) {
        if (piece.get() instanceof SegmentScan.Whole whole && fromOffset != null && whole.lastOffset() < fromOffset) {
          continue;
        }
        if (!named) {
          line(format.file(log, scan.sizeBytes()));
          named = true;
        }
        if (piece.get() instanceof SegmentScan.Whole whole) {
          batch(whole, scan.batch(whole));
        } else if (piece.get() instanceof SegmentScan.Damaged bad) {
          damaged++;
          line(format.damaged(bad));
        } else if (piece.get() instanceof SegmentScan.Zeroed zeros) {
          line(format.zeroed(zeros));
        }
      }
    }
  }

  private void dumpIndex(Path index) throws IOException {
    line(format.file(index, (int) Files.size(index)));
    try {
      for (AbortedTransaction each : AbortedTransaction.readIndex(disk, index)) {
        if (!isEnough() && (fromOffset == null || each.lastOffset() >= fromOffset)) {
          line(format.aborted(each));
          printed++;
        }
      }
    } catch (IOException e) {
      damaged++;
      streams.complain(index + ": " + e.getMessage());
    }
  }

  private void batch(SegmentScan.Whole whole, RecordBatch batch) throws IOException {
    line(format.batch(whole, batch));
    if (!withRecords) {
      printed++;
      return;
    }
    try (RecordCursor records = batch.cursor()) {
      while (!isEnough() && records.next()) {
        Record record = records.record();
        if (fromOffset == null || record.offset() >= fromOffset) {
          line(format.record(record));
          printed++;
        }
      }
    } catch (InvalidBatchException e) { // its CRC fits, so it was stored so
      damaged++;
      line(format.notReadable(whole, e.getMessage()));
    }
  }

  private void line(String text) throws IOException {
    if (!text.isEmpty()) {
      out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}
