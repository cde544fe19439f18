package kaka.cli;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import kaka.client.ConsumedRecord;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.GroupConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.StartPosition;
import kaka.client.TopicDescription;
import kaka.record.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka consume}: prints records, up to the end as it was at the start, or for ever. */
@Command(
    name = "consume",
    sortOptions = false,
    description = {
      "Print the records of a topic, and end where its end was at the start, or with --follow wait for more.",
      "",
      "Each value is followed by a newline, as kaka produce takes it; bytes are printed as they are. The records of one"
          + " partition come in order, those of several as they arrive.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, or asked to stop, or the reader of a pipe has gone; 1 failed; 2 wrong usage.",
      "",
      "Examples:  kaka consume logs --follow --from -15m",
      "           kaka consume scores --format '%%p/%%o %%t %%k=%%v\\n' --max 10",
      "           kaka consume logs metrics --group archive --follow"
    })
final class ConsumeCommand implements Callable<Integer> {
  /** How long to wait before looking again whether the end was reached without a record. */
  private static final Duration IDLE = Duration.ofSeconds(1);

  @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "The topic; with --group there can be several.")
  private List<String> topics = List.of();

  @Mixin
  private BrokerOption broker;

  @Option(
      names = "--from",
      paramLabel = "WHERE",
      defaultValue = "earliest",
      description = {
        "Where to start in each partition (default: ${DEFAULT-VALUE}): earliest; latest; an offset: 42; a time:"
            + " 2026-11-29T15:04:05Z, without Z in this machine's time zone, 2026-11-29, 1796000000000ms (since 1970);"
            + " an age: -90s, -15m, -1h, -7d."
      })
  private String from;

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = {
        "Read as a member of this consumer group: its members share the partitions, each goes on where the group has"
            + " committed, and what was printed is committed, each second and at the end. --from is for partitions without"
            + " commit. A record can be printed twice where a member was killed, none is left out."
      })
  private String group;

  @Option(
      names = "--instance",
      paramLabel = "NAME",
      description = "With --group: be the member of this name, which gets its partitions again if it comes back in time.")
  private String instance;

  @Option(
      names = "--session-timeout",
      paramLabel = "MS",
      description = "With --group: after so much silence others get the partitions (default: 10000 ms).")
  private Integer sessionTimeoutMs;

  @Option(names = {"-n", "--max"}, paramLabel = "N", description = "End after so many records.")
  private Long max;

  @Option(names = {"-f", "--follow"}, description = "At the end wait for more, until stopped; also in partitions that the topic gets meanwhile.")
  private boolean isFollowing;

  @Option(names = {"-p", "--partition"}, paramLabel = "N", description = "Only this partition (default: all).")
  private Integer partition;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = {
        "Print this for each record instead: %%o offset, %%t time (UTC), %%T time in milliseconds since 1970, %%p partition,"
            + " %%k key, %%v value, %%s topic, %%%% a percent sign; \\n, \\t, \\r, \\0, \\\\, \\xHH."
      })
  private String format;

  @Option(names = {"-0", "--null-delimited"}, description = "End each value with a zero byte instead of a newline.")
  private boolean isNullDelimited;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private final long startNanos = System.nanoTime();
  private String topic;
  private RecordPrinter printer;
  private boolean isComplaintDue = true;
  private volatile boolean isStopping;

  ConsumeCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    StartPosition start = checkedStart();
    printer = checkedPrinter();
    Optional<String> trouble = Optional.empty();
    try {
      trouble = group == null ? consume(start) : consumeAsMember(start);
      printer.flush();
    } catch (IOException e) {
      if (!RecordPrinter.isReaderGone(e)) {
        trouble = Optional.of("cannot write: " + e.getMessage());
      }
    }
    trouble.ifPresent(streams::complain);
    streams.err().println(amount() + " in " + Amounts.seconds(System.nanoTime() - startNanos));
    return trouble.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private StartPosition checkedStart() {
    try {
      checkGroup();
      topic = topics.get(0);
      if (partition != null) {
        OptionValue.atLeast("--partition", partition, 0);
      }
      if (max != null) {
        OptionValue.atLeast("--max", max, 0);
      }
      return OptionValue.parse(
          "--from", from, text -> FromPosition.parse(text, Clock.systemUTC(), ZoneId.systemDefault()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private void checkGroup() {
    if (group == null) {
      require(topics.size() == 1, "one topic, or several with --group");
      require(instance == null, "--instance goes with --group");
      require(sessionTimeoutMs == null, "--session-timeout goes with --group");
      return;
    }
    require(!group.isEmpty(), "--group needs a name");
    require(partition == null, "--group and --partition exclude each other: the group says who reads what");
    if (sessionTimeoutMs != null) {
      OptionValue.atLeast("--session-timeout", sessionTimeoutMs, 1);
    }
  }

  private static void require(boolean isGood, String what) {
    if (!isGood) {
      throw new IllegalArgumentException(what);
    }
  }

  private RecordPrinter checkedPrinter() {
    if (format == null) {
      boolean isEndKept = !isFollowing && !streams.isOutTerminal();
      return RecordPrinter.values(streams.out(), (byte) (isNullDelimited ? 0 : '\n'), isEndKept);
    }
    try {
      if (isNullDelimited) {
        throw new IllegalArgumentException("--null-delimited and --format exclude each other");
      }
      return RecordPrinter.formatted(streams.out(), OptionValue.parse("--format", format, RecordFormat::parse));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  /** Prints all there is to print; returns what went wrong, if anything did. */
  private Optional<String> consume(StartPosition start) throws IOException {
    try (KakaClient client = broker.connect();
        Progress progress = progress()) {
      Map<TopicPartition, Long> ends = new HashMap<>();
      Map<TopicPartition, StartPosition> starts = new HashMap<>();
      List<TopicDescription.Partition> partitions = partitions(client);
      if (partitions.isEmpty()) {
        return Optional.of("topic " + topic + " has no partition " + partition);
      }
      for (TopicDescription.Partition each : partitions) {
        TopicPartition one = new TopicPartition(topic, each.partition());
        checkReadable(client, one, each);
        long offset = resolved(client, one, each, start);
        if (isFollowing || offset < each.highWatermark()) {
          starts.put(one, StartPosition.offset(offset));
          ends.put(one, each.highWatermark());
        }
      }
      if (!starts.isEmpty()) {
        try (Consumer consumer = client.consumer(ConsumerConfig.defaults(), starts)) {
          streams.onStopSignal().accept(() -> stop(consumer));
          if (isFollowing && partition == null) {
            consumer.includeNewPartitions(topic, partitions.size());
          }
          print(consumer, ends);
        }
      }
      return Optional.empty();
    } catch (KakaException e) {
      return isStopping ? Optional.empty() : Optional.of(e.getMessage());
    }
  }

  private Optional<String> consumeAsMember(StartPosition start) throws IOException {
    try (KakaClient client = broker.connect();
        Progress progress = progress()) {
      for (String each : topics) {
        KakaException.await(client.admin().describeTopic(each)); // a name that was mistyped must not wait for ever
      }
      GroupConsumerConfig config = GroupConsumerConfig.of(group, topics).withStart(start);
      if (instance != null) {
        config = config.withInstanceId(instance);
      }
      if (sessionTimeoutMs != null) {
        config = config.withSessionTimeout(Duration.ofMillis(sessionTimeoutMs));
      }
      new GroupReading(streams, printer, isFollowing, max == null ? Long.MAX_VALUE : max).run(client, config);
      return Optional.empty();
    } catch (KakaException e) {
      return Optional.of(e.getMessage());
    }
  }

  private Progress progress() {
    return streams.isOutTerminal() ? null : Progress.start(streams, this::amount); // the records are progress enough
  }

  private List<TopicDescription.Partition> partitions(KakaClient client) {
    List<TopicDescription.Partition> all = KakaException.await(client.admin().describeTopic(topic)).partitions();
    if (partition == null) {
      return all;
    }
    return all.stream().filter(each -> each.partition() == partition).toList();
  }

  /** One that could not be opened is described as if it were empty; asked for an offset, the broker says what is wrong. */
  private static void checkReadable(KakaClient client, TopicPartition one, TopicDescription.Partition described) {
    if (!described.state().equals("writable")) {
      KakaException.await(client.admin().latestOffset(one));
    }
  }

  private static long resolved(
      KakaClient client, TopicPartition one, TopicDescription.Partition described, StartPosition start) {
    if (start instanceof StartPosition.AtOffset at) {
      return at.offset();
    }
    if (start instanceof StartPosition.AtTime at) {
      return KakaException.await(client.admin().offsetForTime(one, Instant.ofEpochMilli(at.timestampMs())));
    }
    return start instanceof StartPosition.Latest ? described.highWatermark() : described.logStartOffset();
  }

  private void stop(Consumer consumer) {
    isStopping = true;
    consumer.close();
  }

  private void print(Consumer consumer, Map<TopicPartition, Long> ends) throws IOException {
    while (!isDone(consumer, ends)) {
      for (ConsumedRecord record : next(consumer)) {
        if (isMaxReached()) {
          return;
        }
        if (isFollowing || record.offset() < ends.get(record.topicPartition())) {
          printer.print(record);
        }
      }
    }
  }

  private boolean isDone(Consumer consumer, Map<TopicPartition, Long> ends) {
    return isMaxReached()
        || !isFollowing
            && ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()).orElse(-1) >= end.getValue());
  }

  private boolean isMaxReached() {
    return max != null && printer.records() >= max;
  }

  /** The next records; what was printed is flushed before there is anything to wait for. */
  private List<ConsumedRecord> next(Consumer consumer) throws IOException {
    try {
      List<ConsumedRecord> records = consumer.poll(Duration.ZERO);
      if (records.isEmpty()) {
        printer.flush();
        records = consumer.poll(IDLE);
      }
      isComplaintDue |= !records.isEmpty();
      return records;
    } catch (KakaException e) {
      if (!isFollowing || !e.isRetriable() || isStopping) {
        throw e;
      }
      printer.flush();
      if (isComplaintDue) {
        streams.complain(e.getMessage() + "; going on when the broker is back");
        isComplaintDue = false;
      }
      return List.of();
    }
  }

  private String amount() {
    return Amounts.records(printer.records()) + " (" + Amounts.bytes(printer.bytes()) + ")";
  }
}
