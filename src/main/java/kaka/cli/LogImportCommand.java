package kaka.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import kaka.broker.OfflineDirectory;
import kaka.config.KakaConfig;
import kaka.log.KafkaPartition;
import kaka.log.PartitionImport;
import kaka.log.RealDisk;
import kaka.record.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code kaka log import}: takes in a partition's directory that Apache Kafka wrote. */
@Command(
    name = "import",
    sortOptions = false,
    description = {
      "Copy a partition's directory of Apache Kafka into the data directory, as a partition of TOPIC.",
      "",
      "Everything is checked on the way: format, CRCs, offsets, compressed records. Offsets, timestamps, keys, headers and"
          + " compression stay; DIR is only read. Kafka and the broker must be stopped. The partition must be empty or not there"
          + " yet; a topic that is not there is created, keeps everything unless --set says otherwise, and has as many partitions"
          + " as N needs: import the highest first. A crash leaves nothing or the whole partition. Without --yes it only"
          + " checks DIR and says what it holds.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 not done (without --yes, too), 2 wrong usage.",
      "",
      "Example:  kaka log import /var/lib/kafka/orders-0 orders --data-dir kaka-data --yes"
    })
final class LogImportCommand extends ReadingCommand {
  private static final Pattern KAFKA_NAME = Pattern.compile(".+-(0|[1-9][0-9]{0,8})");

  /** Kafka's names of directories that are no partition any more, or not yet. */
  private static final Pattern NOT_SERVED = Pattern.compile(".*-(delete|future|stray)");

  @Parameters(index = "0", paramLabel = "DIR", description = "Kafka's directory, as /var/lib/kafka/orders-0.")
  private Path source;

  @Parameters(index = "1", paramLabel = "TOPIC", description = "The topic here.")
  private String topic;

  @Option(
      names = {"-p", "--partition"},
      paramLabel = "N",
      description = "The partition here (default: the number at the end of DIR's name).")
  private Integer partition;

  @Option(names = "--data-dir", paramLabel = "D", description = "The data directory (default: kaka.log.dir).")
  private Path dataDirectory;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the topic, as in kaka topic create, if it is created; as often as there are.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--yes", description = "Do it.")
  private boolean isConfirmed;

  LogImportCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(source, spec());
    KakaConfig config = LogCommand.config(spec());
    int number = number(directory);
    Path target = target(config);
    try {
      TopicPartition id = new TopicPartition(topic, number);
      OfflineDirectory.requireImportable(id, settings);
      KafkaPartition kafka = KafkaPartition.open(new RealDisk(), directory);
      kafka.unknown().forEach(name -> streams().err().println("left out: " + name + ", no file of Kafka's that is known here"));
      if (!isConfirmed) {
        PartitionImport.Contents contents = showing(kafka.sizeBytes(), progress -> PartitionImport.check(kafka, progress));
        LogCommand.print(streams(), directory + ": " + describe(contents));
        warn(contents);
        streams().complain("nothing was changed; say --yes to make it partition " + id + " in " + target);
        return ExitCode.FAILED;
      }
      try (OfflineDirectory offline = OfflineDirectory.openOrCreate(target)) {
        PartitionImport.Contents contents =
            showing(kafka.sizeBytes(), progress -> offline.importPartition(kafka, id, settings, config.log(), progress));
        LogCommand.print(streams(), target.resolve(id.toString()) + ": " + describe(contents));
        warn(contents);
        return ExitCode.OK;
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec().commandLine(), e.getMessage());
    }
  }

  private int number(Path directory) {
    String name = String.valueOf(directory.getFileName());
    if (NOT_SERVED.matcher(name).matches()) {
      throw new ParameterException(spec().commandLine(), directory + " is not a partition that Kafka serves, by its name");
    }
    if (partition != null) {
      return partition;
    }
    Matcher matcher = KAFKA_NAME.matcher(name);
    if (!matcher.matches()) {
      throw new ParameterException(spec().commandLine(), directory + " does not end in a partition's number: say --partition");
    }
    return Integer.parseInt(matcher.group(1));
  }

  private Path target(KakaConfig config) {
    if (dataDirectory == null && config.dir().isEmpty()) {
      throw new ParameterException(spec().commandLine(), "kaka.log.dir is empty: say --data-dir");
    }
    Path target = dataDirectory == null ? Path.of(config.dir()) : dataDirectory;
    if (Files.exists(target) && !Files.isDirectory(target)) {
      throw new ParameterException(spec().commandLine(), target + " is not a directory");
    }
    return target.toAbsolutePath().normalize();
  }

  private static String describe(PartitionImport.Contents contents) {
    String codecs = contents.codecs().stream().sorted().map(Object::toString).collect(Collectors.joining(", "));
    return "offsets " + contents.startOffset() + " to " + (contents.endOffset() - 1)
        + ", " + contents.recordCount() + " records in " + contents.batchCount() + " batches"
        + (codecs.isEmpty() ? "" : " (" + codecs + ")")
        + (contents.missingCount() == 0 ? "" : ", " + contents.missingCount() + " offsets without a batch")
        + (contents.markerCount() == 0 ? "" : ", " + contents.markerCount() + " transaction markers");
  }

  private void warn(PartitionImport.Contents contents) {
    if (contents.abortedCount() + contents.openCount() > 0) {
      streams()
          .err()
          .println(
              contents.abortedCount() + " transactions were aborted and " + contents.openCount()
                  + " did not end: their records are kept, but nobody who reads what is committed gets them");
    }
  }
}
