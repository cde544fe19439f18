package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What kaka log says of transactions in the directory of a real broker. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LogTransactionsTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int kaka(String... arguments) {
    out.reset();
    err.reset();
    Streams streams = new Streams(InputStream.nullInputStream(), out, new PrintStream(err, true, UTF_8), false, false, stop -> {});
    return Main.commandLine(streams).execute(arguments);
  }

  /** Offsets 0 and 1 are committed by the marker at 2, 3 is aborted at 4; then the segment ends. */
  private Path partition() throws Exception {
    String hocon = "kaka.listen.port = 0, kaka.log.segment-bytes = 1KiB, kaka.log.dir = \"" + directory + "\"";
    Broker broker = Broker.start(KakaConfig.parse(hocon));
    Map<String, Object> config =
        Map.of("bootstrap.servers", "127.0.0.1:" + broker.address().getPort(), "transactional.id", "t", "enable.metrics.push", false);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("logs", 0, "k", "one")).get();
      producer.send(new ProducerRecord<>("logs", 0, "k", "two")).get();
      producer.commitTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("logs", 0, "k", "three")).get();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("logs", 0, "k", "x".repeat(900))).get();
      producer.commitTransaction();
    } finally {
      broker.stop().toCompletableFuture().join();
    }
    return directory.resolve("logs-0");
  }

  @Test
  void truncateSaysWhichTransactionsItLeavesOpen() throws Exception {
    Path partition = partition();

    assertEquals(1, kaka("log", "truncate", partition.toString(), "--to-offset", "3"));
    assertFalse(err.toString(UTF_8).contains("open"), err.toString(UTF_8));
    assertEquals(1, kaka("log", "truncate", partition.toString(), "--to-offset", "2"));
    assertTrue(err.toString(UTF_8).matches("(?s).*it would leave transactions open .*epoch 0 from offset 0\\).*"), err.toString(UTF_8));

    assertEquals(0, kaka("log", "truncate", partition.toString(), "--to-offset", "1", "--yes"), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).matches("(?s).*it leaves transactions open .*epoch 0 from offset 0\\).*"), out.toString(UTF_8));
  }

  @Test
  void dumpShowsTheIndexOfAbortedTransactions() throws Exception {
    Path partition = partition();
    List<Path> indexes;
    try (Stream<Path> files = Files.list(partition)) {
      indexes = files.filter(file -> file.toString().endsWith(".txnindex")).filter(file -> file.toFile().length() > 0).toList();
    }
    assertEquals(1, indexes.size(), indexes.toString());
    String index = indexes.get(0).toString();

    assertEquals(0, kaka("log", "dump", index), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("offsets 3 to 4  last stable offset "), out.toString(UTF_8));
    assertEquals(0, kaka("log", "dump", index, "--json"), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("\"firstOffset\":3,\"lastOffset\":4,"), out.toString(UTF_8));

    Files.write(indexes.get(0), new byte[33]);
    assertEquals(1, kaka("log", "dump", index));
    assertTrue(err.toString(UTF_8).contains("33 bytes, not a multiple of 34"), err.toString(UTF_8));
  }
}
