package kaka.checks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The load and the judge of transactions under kills and power cuts.
 *
 * <pre>
 * flood HOST PORT RUN PRODUCERS JOURNAL   until it gets SIGTERM
 * verify HOST PORT JOURNAL                exit 1 unless every transaction is there whole or not at all, as was answered, its offsets
 *                                         too, and none is left open
 * </pre>
 */
public final class TransactionCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String bootstrap;
  private final List<String> problems = new ArrayList<>();

  private TransactionCheck(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  public static void main(String[] args) throws Exception {
    String bootstrap = args[1] + ":" + args[2];
    switch (args[0]) {
      case "flood" -> flood(bootstrap, args[3], Integer.parseInt(args[4]), Path.of(args[5]));
      case "verify" -> new TransactionCheck(bootstrap).verify(TransactionJournal.read(Path.of(args[3])));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void flood(String bootstrap, String run, int producers, Path file) throws Exception {
    try (TransactionJournal journal = new TransactionJournal(file)) {
      TransactionFlood flood = new TransactionFlood(bootstrap, run, journal);
      Thread main = Thread.currentThread();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    flood.stop();
                    try {
                      main.join();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
      flood.run(producers);
    }
  }

  private void verify(Map<TransactionJournal.Id, Character> known) throws Exception {
    awaitNoneOpen();
    Map<TransactionJournal.Id, Integer> seen = readCommitted();
    int whole = TransactionFlood.PARTITIONS * TransactionFlood.RECORDS_PER_PARTITION;
    Map<Character, Integer> counts = new TreeMap<>();
    Map<String, Long> lastCommitted = new HashMap<>();
    known.forEach(
        (id, state) -> {
          counts.merge(state, 1, Integer::sum);
          int found = seen.getOrDefault(id, 0);
          if (state == TransactionJournal.COMMITTED && found != whole) {
            problems.add(id + " is committed, and " + found + " of " + whole + " records are there");
          } else if (state == TransactionJournal.ABORTED && found != 0) {
            problems.add(id + " is aborted, and " + found + " records are there");
          } else if (found != 0 && found != whole) {
            problems.add(id + " was not answered, and " + found + " of " + whole + " records are there");
          }
          if (found == whole) {
            lastCommitted.merge(id.producer(), id.number(), Math::max);
          }
        });
    seen.keySet().stream().filter(id -> !known.containsKey(id)).forEach(id -> problems.add(id + " was never begun"));
    checkOffsets(lastCommitted);
    System.out.println(
        "committed=" + counts.getOrDefault(TransactionJournal.COMMITTED, 0) + " aborted=" + counts.getOrDefault(TransactionJournal.ABORTED, 0)
            + " unanswered=" + counts.getOrDefault(TransactionJournal.BEGUN, 0) + " problems=" + problems.size());
    problems.stream().limit(20).forEach(System.out::println);
    System.exit(problems.isEmpty() && counts.getOrDefault(TransactionJournal.COMMITTED, 0) > 0 ? 0 : 1);
  }

  private static List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < TransactionFlood.PARTITIONS; i++) {
      partitions.add(new TopicPartition(TransactionFlood.TOPIC, i));
    }
    return partitions;
  }

  /** Whoever has died in the middle is aborted when its time is up: then readers of what is committed reach every partition's end. */
  private void awaitNoneOpen() throws Exception {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      while (true) {
        List<TransactionListing> open =
            admin.listTransactions().all().get().stream()
                .filter(each -> Set.of(TransactionState.ONGOING, TransactionState.PREPARE_ABORT, TransactionState.PREPARE_COMMIT).contains(each.state()))
                .toList();
        boolean isStable = ends(admin, IsolationLevel.READ_COMMITTED).equals(ends(admin, IsolationLevel.READ_UNCOMMITTED));
        if (open.isEmpty() && isStable) {
          return;
        }
        if (System.nanoTime() - giveUp > 0) {
          problems.add("after " + PATIENCE + ": open " + open + ", partitions stable to their ends: " + isStable);
          return;
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }

  private static Map<TopicPartition, Long> ends(Admin admin, IsolationLevel isolation) throws Exception {
    Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
    partitions().forEach(partition -> latest.put(partition, OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin.listOffsets(latest, new ListOffsetsOptions(isolation)).all().get().forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }

  /** How many different records of each transaction a reader of what is committed sees; one that comes twice is a problem. */
  private Map<TransactionJournal.Id, Integer> readCommitted() {
    Map<TransactionJournal.Id, Integer> seen = new HashMap<>();
    Set<String> values = new java.util.HashSet<>();
    Map<String, Object> config = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(partitions());
      consumer.seekToBeginning(partitions());
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions());
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() - giveUp > 0) {
          problems.add("not read to the end after " + PATIENCE);
          return seen;
        }
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          String[] fields = record.value().split(" ");
          seen.merge(new TransactionJournal.Id(fields[0], Long.parseLong(fields[1])), 1, Integer::sum);
          if (!values.add(record.value())) {
            problems.add("twice: " + record.value());
          }
        }
      }
    }
    return seen;
  }

  /** A group's offset is the number of the last transaction whose records are there. */
  private void checkOffsets(Map<String, Long> lastCommitted) throws Exception {
    TopicPartition partition = partitions().get(0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      for (Map.Entry<String, Long> last : lastCommitted.entrySet()) {
        String group = TransactionFlood.group(last.getKey());
        OffsetAndMetadata offset = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(partition);
        if (offset == null || offset.offset() != last.getValue()) {
          problems.add(last.getKey() + ": last committed is " + last.getValue() + ", its offset " + offset);
        }
      }
    }
  }
}
