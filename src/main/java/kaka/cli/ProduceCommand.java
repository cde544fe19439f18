package kaka.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.RecordMetadata;
import kaka.record.Codec;
import kaka.record.Header;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka produce}: sends lines, and returns when all are on the broker's disk. */
@Command(
    name = "produce",
    sortOptions = false,
    description = {
      "Send the lines of files, or of standard input, to a topic; done when all are on the broker's disk.",
      "",
      "A line is a record, without its newline; bytes are sent as they are. Lines keep their order: without --partition and"
          + " without keys, all go to partition 0 (see --spread). A file with one partition to itself comes back from kaka"
          + " consume byte for byte. A compacted topic takes only lines with a key (see --key-separator).",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 all acknowledged, 1 failed (standard error says how many were acknowledged), 2 wrong usage.",
      "",
      "Examples:  kaka produce logs /var/log/syslog",
      "           tail -F app.log | kaka produce logs",
      "           printf 'alice:1\\nbob:2\\n' | kaka produce scores --key-separator :"
    })
final class ProduceCommand implements Callable<Integer> {
  private static final int READ_BYTES = 64 * 1024;
  private static final long MIN_BUFFER_BYTES = 32L << 20;

  @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic; created if the broker creates topics by itself.")
  private String topic;

  @Parameters(index = "1..*", paramLabel = "FILE", description = "Files, one after the other; - or none: standard input.")
  private List<String> files = List.of();

  @Mixin
  private BrokerOption broker;

  @Option(
      names = {"-p", "--partition"},
      paramLabel = "N",
      description = "Send everything to this partition.")
  private Integer partition;

  @Option(
      names = {"-K", "--key-separator"},
      paramLabel = "TEXT",
      description = {
        "The key ends, and the value begins, at the first TEXT of a line (\\t and the like are understood); a line without it has"
            + " no key. Without --partition the key chooses the partition, as in Kafka."
      })
  private String keySeparator;

  @Option(
      names = {"-0", "--null-delimited"},
      description = "Records end with a zero byte instead of a newline, as from find -print0.")
  private boolean isNullDelimited;

  @Option(
      names = "--spread",
      description = "Spread lines without key over all partitions, a batch at a time: their order is then that of each partition only.")
  private boolean isSpread;

  @Option(
      names = "--batch-bytes",
      paramLabel = "N",
      defaultValue = "262144",
      description = "Send a batch when it has so many bytes (default: ${DEFAULT-VALUE}).")
  private int batchBytes;

  @Option(
      names = "--linger-ms",
      paramLabel = "N",
      defaultValue = "5",
      description = "Send a batch that is not full after so many milliseconds (default: ${DEFAULT-VALUE}).")
  private int lingerMs;

  @Option(
      names = "--compression",
      paramLabel = "CODEC",
      defaultValue = "none",
      description = "Compress batches with gzip, snappy, lz4 or zstd; they are stored so. A batch that would not get smaller is not"
          + " compressed (default: ${DEFAULT-VALUE}).")
  private String compression;

  @Option(
      names = "--timeout-ms",
      paramLabel = "N",
      defaultValue = "60000",
      description = "Give up when a record could not be sent for so many milliseconds, because the broker is away or for the"
          + " moment refuses, for want of memory or disk space (default: ${DEFAULT-VALUE}).")
  private int timeoutMs;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private final long startNanos = System.nanoTime();
  private byte[] separatorOfKey = new byte[0];
  private volatile long readRecords;
  private volatile long readBytes;
  private volatile boolean isStopping;

  ProduceCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    ProducerConfig config = checkedConfig();
    try (KakaClient client = broker.connect()) {
      long bufferBytes = Math.max(MIN_BUFFER_BYTES, Math.max(batchBytes, client.maxFrameBytes()) + (1L << 20));
      return produce(client, producer(client, config.withBufferBytes(bufferBytes)));
    } catch (KakaException e) {
      streams.complain(e.getMessage());
      return ExitCode.FAILED;
    }
  }

  private ProducerConfig checkedConfig() {
    try {
      separatorOfKey = OptionValue.parse("--key-separator", keySeparator == null ? "" : keySeparator, Escapes::bytes);
      if (keySeparator != null && separatorOfKey.length == 0) {
        throw new IllegalArgumentException("--key-separator is empty");
      }
      if (partition != null) {
        OptionValue.atLeast("--partition", partition, 0);
        if (isSpread) {
          throw new IllegalArgumentException("--partition and --spread exclude each other");
        }
      }
      OptionValue.atLeast("--batch-bytes", batchBytes, ProducerConfig.MIN_BATCH_BYTES);
      OptionValue.atLeast("--linger-ms", lingerMs, 0);
      OptionValue.atLeast("--timeout-ms", timeoutMs, 1);
      if (lingerMs >= timeoutMs) {
        throw new IllegalArgumentException("--linger-ms " + lingerMs + ": less than --timeout-ms, " + timeoutMs);
      }
      ProducerConfig defaults = ProducerConfig.defaults();
      return defaults
          .withBufferBytes(Math.max(defaults.bufferBytes(), batchBytes))
          .withBatchBytes(batchBytes)
          .withCompression(codec())
          .withLinger(Duration.ZERO)
          .withDeliveryTimeout(Duration.ofMillis(timeoutMs))
          .withLinger(Duration.ofMillis(lingerMs));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private Codec codec() {
    return Codec.named(compression)
        .orElseThrow(() -> new IllegalArgumentException("--compression " + compression + ": one of none, gzip, snappy, lz4, zstd"));
  }

  private Producer producer(KakaClient client, ProducerConfig config) {
    try {
      return client.producer(config);
    } catch (IllegalStateException e) {
      throw new ParameterException(spec.commandLine(), "--compression " + compression + ": " + e.getMessage());
    }
  }

  private int produce(KakaClient client, Producer producer) {
    streams.onStopSignal().accept(() -> stop(producer));
    producer.onConnectionLost(lost -> streams.complain(lost.getMessage() + "; going on when the broker is back"));
    String trouble = null;
    try (Progress progress = Progress.start(streams, () -> progressLine(producer))) {
      for (String file : files.isEmpty() ? List.of("-") : files) {
        send(file, client.maxFrameBytes(), producer);
      }
      while (isStopping) {
        LockSupport.park(); // the signal's thread reports and exits
      }
      settle(producer);
    } catch (IOException | KakaException e) {
      settle(producer); // what was taken before is whole
      trouble = e.getMessage();
    }
    if (producer.firstFailure().isDone()) {
      trouble = producer.firstFailure().join().getMessage();
      producer.abort();
    }
    return report(producer, trouble);
  }

  /** Waits until all is acknowledged, or something has failed. */
  private static void settle(Producer producer) {
    CompletableFuture.anyOf(producer.flush(), producer.firstFailure()).join();
  }

  private int report(Producer producer, String trouble) {
    String seconds = " in " + Amounts.seconds(System.nanoTime() - startNanos);
    if (trouble != null) {
      streams.complain(trouble);
      streams.err().println(producer.ackedRecords() + " of " + Amounts.records(readRecords) + " acked" + seconds);
      return ExitCode.FAILED;
    }
    String amount = Amounts.records(producer.ackedRecords()) + " acked (" + Amounts.bytes(readBytes) + ")";
    streams.err().println(amount + seconds);
    return ExitCode.OK;
  }

  /** On a signal, while the main thread may be blocked in a read: what was read goes out, the rest of the input does not. */
  private void stop(Producer producer) {
    isStopping = true;
    settle(producer);
    System.exit(report(producer, "stopped by a signal"));
  }

  private void send(String file, int maxRecordBytes, Producer producer) throws IOException {
    try (InputStream in = open(file)) {
      byte separator = (byte) (isNullDelimited ? 0 : '\n');
      RecordSplitter splitter = new RecordSplitter(in, separator, maxRecordBytes, READ_BYTES);
      while (!isStopping && producer.failedRecords() == 0 && splitter.next()) {
        byte[] line = splitter.record();
        readRecords++;
        readBytes += line.length + (splitter.isTerminated() ? 1 : 0);
        CompletableFuture<RecordMetadata> sent = producer.send(record(line, splitter.isTerminated()));
        if (sent.isCompletedExceptionally() && producer.failedRecords() == 0) {
          KakaException.await(sent); // it was not even taken
        }
      }
    } catch (NoSuchFileException e) {
      throw new IOException("no such file: " + e.getMessage(), e);
    } catch (AccessDeniedException e) {
      throw new IOException("cannot read " + e.getMessage(), e);
    }
  }

  private InputStream open(String file) throws IOException {
    if (!file.equals("-") && Files.isDirectory(Path.of(file))) {
      throw new IOException(file + " is a directory");
    }
    return file.equals("-") ? streams.in() : Files.newInputStream(Path.of(file));
  }

  private ProducerRecord record(byte[] line, boolean isTerminated) {
    byte[] key = null;
    byte[] value = line;
    int keyEnd = separatorOfKey.length == 0 ? -1 : indexOf(separatorOfKey, line);
    if (keyEnd >= 0) {
      key = Arrays.copyOf(line, keyEnd);
      value = Arrays.copyOfRange(line, keyEnd + separatorOfKey.length, line.length);
    }
    boolean isProducersChoice = partition == null && (key != null || isSpread);
    OptionalInt to = isProducersChoice ? OptionalInt.empty() : OptionalInt.of(partition == null ? 0 : partition);
    List<Header> headers = isTerminated ? List.of() : UnterminatedMark.HEADERS;
    return new ProducerRecord(topic, to, OptionalLong.empty(), key, value, headers);
  }

  private static int indexOf(byte[] wanted, byte[] in) {
    for (int at = 0; at <= in.length - wanted.length; at++) {
      if (Arrays.equals(in, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }

  private String progressLine(Producer producer) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    return Amounts.records(readRecords)
        + ", " + Amounts.bytes(readBytes)
        + ", " + Amounts.bytes(readBytes / seconds) + "/s, "
        + producer.ackedRecords() + " acked";
  }
}
