import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A word count in Kafka Streams, exactly once, with what goes in and a judge of what comes out. Every update of a count is one record
 * of the output (nothing is cached), so of each word the output must have 1, 2, 3, ... to its number, in that order.
 *
 * <pre>
 * create BOOTSTRAP                  the topics
 * feed BOOTSTRAP FROM TO            lines FROM to TO - 1 into the input, by an idempotent producer
 * count BOOTSTRAP DIRECTORY         counts until it is asked to stop; its state lies in DIRECTORY; exit 1 if it fails
 * await BOOTSTRAP UPDATES           returns when so many updates are committed, and prints how many are
 * verify BOOTSTRAP LINES            exit 1 if output, changelog or internal topics are not what so many lines make
 * </pre>
 */
public final class WordCount {
  private static final String APPLICATION = "word-count";
  private static final String IN = "lines";
  private static final String OUT = "counts";
  private static final String REPARTITION = APPLICATION + "-words-repartition";
  private static final String CHANGELOG = APPLICATION + "-totals-changelog";
  private static final int PARTITIONS = 3;
  private static final int WORDS_PER_LINE = 5;
  private static final int VOCABULARY = 700;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private WordCount() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "create" -> create(args[1]);
      case "feed" -> feed(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3]));
      case "count" -> count(args[1], args[2]);
      case "await" -> await(args[1], Long.parseLong(args[2]));
      case "verify" -> System.exit(verify(args[1], Integer.parseInt(args[2])) ? 0 : 1);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  // ---------------------------------------------------------------- what goes in

  private static String word(int line, int position) {
    return "word" + (line * 31L + position * position * 17L) * 7919 % VOCABULARY;
  }

  private static String line(int line) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < WORDS_PER_LINE; i++) {
      words.add(word(line, i));
    }
    return String.join(" ", words);
  }

  private static void create(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(IN, PARTITIONS, (short) 1), new NewTopic(OUT, PARTITIONS, (short) 1))).all().get();
    }
  }

  private static void feed(String bootstrap, int from, int to) throws Exception {
    Map<String, Object> config = Map.of("bootstrap.servers", bootstrap, "acks", "all", "delivery.timeout.ms", (int) PATIENCE.toMillis());
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = from; i < to; i++) {
        sent.add(producer.send(new ProducerRecord<>(IN, i % PARTITIONS, null, line(i))));
      }
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    }
    System.out.println("fed lines " + from + " to " + (to - 1));
  }

  // ---------------------------------------------------------------- the application

  private static void count(String bootstrap, String directory) throws InterruptedException {
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION);
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    config.put(StreamsConfig.STATE_DIR_CONFIG, directory);
    config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    config.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    config.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 6000);
    config.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 500);
    config.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    config.put(StreamsConfig.topicPrefix("segment.bytes"), 1 << 20);
    config.put(StreamsConfig.topicPrefix("min.cleanable.dirty.ratio"), "0.1");

    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(IN, Consumed.with(Serdes.String(), Serdes.String()))
        .flatMapValues(line -> Arrays.asList(line.split(" ")))
        .groupBy((key, word) -> word, Grouped.with("words", Serdes.String(), Serdes.String()))
        .count(Materialized.as("totals"))
        .toStream()
        .to(OUT, Produced.with(Serdes.String(), Serdes.Long()));
    KafkaStreams streams = new KafkaStreams(builder.build(), config);
    CountDownLatch ended = new CountDownLatch(1);
    streams.setStateListener(
        (state, before) -> {
          System.out.println("application " + state);
          if (state == KafkaStreams.State.ERROR) {
            ended.countDown();
          }
        });
    Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20)), "stop"));
    streams.start();
    ended.await(); // or a signal ends it
    Runtime.getRuntime().halt(1);
  }

  // ---------------------------------------------------------------- what comes out

  private static <V> KafkaConsumer<String, V> reader(String bootstrap, Deserializer<V> values) {
    Map<String, Object> config = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
    return new KafkaConsumer<>(config, new StringDeserializer(), values);
  }

  private static List<TopicPartition> assignAll(KafkaConsumer<?, ?> consumer, String topic) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new TopicPartition(topic, i));
    }
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return partitions;
  }

  private static void await(String bootstrap, long updates) {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    long seen = 0;
    try (KafkaConsumer<String, Long> consumer = reader(bootstrap, new LongDeserializer())) {
      assignAll(consumer, OUT);
      while (seen < updates) {
        if (System.nanoTime() - giveUp > 0) {
          throw new IllegalStateException(seen + " of " + updates + " updates after " + PATIENCE);
        }
        seen += consumer.poll(Duration.ofMillis(200)).count();
      }
    }
    System.out.println(seen);
  }

  private static boolean verify(String bootstrap, int lines) throws Exception {
    Map<String, Long> expected = new TreeMap<>();
    for (int i = 0; i < lines; i++) {
      for (String word : line(i).split(" ")) {
        expected.merge(word, 1L, Long::sum);
      }
    }
    boolean isGood = everyUpdateOnce(bootstrap, expected);
    isGood &= changelogIs(bootstrap, expected);
    isGood &= internalTopicsAreAsAsked(bootstrap);
    isGood &= nothingHangs(bootstrap);
    return isGood;
  }

  private static boolean everyUpdateOnce(String bootstrap, Map<String, Long> expected) {
    Map<String, Long> totals = new TreeMap<>();
    long updates = 0;
    for (ConsumerRecord<String, Long> update : readAll(bootstrap, OUT)) {
      updates++;
      long before = totals.getOrDefault(update.key(), 0L);
      if (update.value() != before + 1) {
        System.out.println("FAILED: " + update.key() + " goes from " + before + " to " + update.value() + " at " + update.partition() + ":" + update.offset());
        return false;
      }
      totals.put(update.key(), update.value());
    }
    return report("output: " + updates + " updates of " + totals.size() + " words, each once, and the last is the total", totals.equals(expected));
  }

  private static boolean changelogIs(String bootstrap, Map<String, Long> expected) {
    Map<String, Long> totals = new TreeMap<>();
    readAll(bootstrap, CHANGELOG).forEach(update -> totals.put(update.key(), update.value()));
    return report("changelog: the last of each word is its total", totals.equals(expected));
  }

  private static List<ConsumerRecord<String, Long>> readAll(String bootstrap, String topic) {
    List<ConsumerRecord<String, Long>> records = new ArrayList<>();
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    try (KafkaConsumer<String, Long> consumer = reader(bootstrap, new LongDeserializer())) {
      Map<TopicPartition, Long> ends = consumer.endOffsets(assignAll(consumer, topic));
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() - giveUp > 0) {
          throw new IllegalStateException(topic + ": not read to its end after " + PATIENCE);
        }
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  private static boolean internalTopicsAreAsAsked(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      Set<String> names = admin.listTopics().names().get();
      boolean isGood = report("internal topics: " + names, names.containsAll(Set.of(REPARTITION, CHANGELOG)));
      isGood &= report("the changelog is compacted", setting(admin, CHANGELOG, "cleanup.policy").equals("compact"));
      isGood &= report("the repartition topic is kept until it is purged",
          setting(admin, REPARTITION, "cleanup.policy").equals("delete") && setting(admin, REPARTITION, "retention.ms").equals("-1"));
      return isGood;
    }
  }

  private static String setting(Admin admin, String topic, String name) throws InterruptedException, ExecutionException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    return Optional.ofNullable(config.get(name)).map(entry -> entry.value()).orElse("");
  }

  /** No transaction is left open, and no partition has anything that readers of what is committed wait for. */
  private static boolean nothingHangs(String bootstrap) throws Exception {
    boolean isGood;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      List<TransactionListing> open = admin.listTransactions().all().get().stream()
          .filter(each -> each.state() == TransactionState.ONGOING).toList();
      isGood = report("open transactions: " + open, open.isEmpty());
    }
    Map<String, Object> uncommitted = Map.of("bootstrap.servers", bootstrap);
    for (String topic : List.of(OUT, CHANGELOG, REPARTITION)) {
      try (KafkaConsumer<String, Long> stable = reader(bootstrap, new LongDeserializer());
          KafkaConsumer<String, Long> all = new KafkaConsumer<>(uncommitted, new StringDeserializer(), new LongDeserializer())) {
        Map<TopicPartition, Long> stableEnds = new HashMap<>(stable.endOffsets(assignAll(stable, topic)));
        isGood &= report(topic + " is stable to its end", stableEnds.equals(all.endOffsets(assignAll(all, topic))));
      }
    }
    return isGood;
  }

  private static boolean report(String what, boolean isSo) {
    System.out.println((isSo ? "ok: " : "FAILED: ") + what);
    return isSo;
  }
}
