package kaka.streams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import akka.actor.ActorSystem;
import akka.stream.javadsl.FileIO;
import akka.stream.javadsl.Framing;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.SinkQueueWithCancel;
import akka.stream.javadsl.Source;
import akka.util.ByteString;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.ConsumedRecord;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.RecordMetadata;
import kaka.client.StartPosition;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KakaStreamsTest {
  private static final TopicPartition LINES = new TopicPartition("lines", 0);
  private static final String LOG = "lines-0/00000000000000000000.log";

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final ActorSystem system = ActorSystem.create("streams");
  private TestBroker broker;
  private KakaClient client;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("", disk);
    client = KakaClient.connect(ClientConfig.of("127.0.0.1:" + broker.address().getPort()));
    client.admin().createTopic("lines", 1, Map.of()).join();
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
    akka.testkit.javadsl.TestKit.shutdownActorSystem(system);
  }

  private static ProducerRecord record(int i) {
    return ProducerRecord.of("lines", Integer.toString(i).getBytes(UTF_8));
  }

  private Source<ConsumedRecord, ?> source() {
    return KakaStreams.source(client, ConsumerConfig.defaults(), Map.of(LINES, StartPosition.EARLIEST));
  }

  @Test
  void fileThroughASinkComesBackFromASource(@TempDir Path directory) throws Exception {
    List<String> lines = IntStream.range(0, 20_000).mapToObj(i -> "line " + i).toList();
    Path file = Files.write(directory.resolve("lines"), lines);

    CompletionStage<Done> stored =
        FileIO.fromPath(file)
            .via(Framing.delimiter(ByteString.fromString("\n"), 65536))
            .map(line -> ProducerRecord.of("lines", line.toArray()))
            .runWith(KakaStreams.sink(client, ProducerConfig.defaults(), 10_000), system);
    stored.toCompletableFuture().join();

    List<String> read =
        source().take(lines.size()).map(record -> new String(record.value(), UTF_8)).runWith(Sink.seq(), system).toCompletableFuture().join();
    assertEquals(lines, read);
  }

  /** Also where the buffer holds no more than a few records at a time. */
  @Test
  void flowEmitsWhereEachRecordIsInTheirOrder() {
    ProducerConfig small = ProducerConfig.defaults().withBatchBytes(1024).withBufferBytes(4096);

    List<Long> offsets =
        Source.range(0, 4999)
            .map(KakaStreamsTest::record)
            .via(KakaStreams.flow(client, small, 1000))
            .map(RecordMetadata::offset)
            .runWith(Sink.seq(), system)
            .toCompletableFuture()
            .join();

    assertEquals(IntStream.range(0, 5000).mapToObj(Long::valueOf).toList(), offsets);
    List<String> read =
        source().take(5000).map(each -> new String(each.value(), UTF_8)).runWith(Sink.seq(), system).toCompletableFuture().join();
    assertEquals(IntStream.range(0, 5000).mapToObj(Integer::toString).toList(), read);
  }

  /** Nothing is told to be stored that is not. */
  @Test
  void failedDiskFailsTheStream() {
    disk.failNext(Operation.SYNC, LOG);

    CompletionException failure =
        assertThrows(
            CompletionException.class,
            () ->
                Source.range(0, 99)
                    .map(KakaStreamsTest::record)
                    .runWith(KakaStreams.sink(client, ProducerConfig.defaults(), 10), system)
                    .toCompletableFuture()
                    .join());

    assertInstanceOf(KakaException.class, failure.getCause());
  }

  /** While the disk does not answer, no more than that many records are asked for. */
  @Test
  void unacknowledgedRecordsAreBounded() throws Exception {
    java.util.concurrent.atomic.AtomicInteger asked = new java.util.concurrent.atomic.AtomicInteger();
    CompletionStage<Done> stored;
    try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, LOG)) {
      stored =
          Source.range(0, 999)
              .map(i -> record(asked.incrementAndGet()))
              .runWith(KakaStreams.sink(client, ProducerConfig.defaults(), 10), system);
      gate.awaitEntered();
      TestBroker.awaitTrue("as many as may be are sent", () -> asked.get() >= 10);
      assertTrue(asked.get() <= 13, asked + " asked for"); // ten, and one in each stage before
    }
    stored.toCompletableFuture().join();
    assertEquals(1000, asked.get());
  }

  /** A source that nobody reads any more lets its consumer, and so its connection, go. */
  @Test
  void cancelledSourceClosesItsConsumer() {
    long quiet = broker.actorCount();
    SinkQueueWithCancel<ConsumedRecord> reader = source().toMat(Sink.queue(), Keep.right()).run(system);
    reader.pull();
    TestBroker.awaitTrue("it is connected", () -> broker.actorCount() > quiet);

    reader.cancel();

    TestBroker.awaitTrue("it has gone", () -> broker.actorCount() <= quiet);
  }
}
