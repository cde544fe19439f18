package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.client.KakaException.Reason;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Request;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The idempotent producer's numbers, and what it does with each answer; the table of {@link BatchDelivery}, row by row. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdempotentProducerTest {
  private static final TopicPartition P0 = new TopicPartition("t", 0);

  /** A produce as the broker got it; the test answers it. */
  private record Got(RecordBatch batch, ScriptedBroker.Peer peer) {
    void ack(long baseOffset) throws IOException {
      peer.send(new ProduceAck(baseOffset));
    }

    void refuse(ErrorCode code) throws IOException {
      refuse(code, "scripted");
    }

    void refuse(ErrorCode code, String message) throws IOException {
      peer.send(new ErrorReply(code, message));
    }

    /** Which record of {@link #send} it holds. */
    int number() throws Exception {
      return Integer.parseInt(new String(batch.records().get(0).value(), 0, 4, UTF_8));
    }
  }

  private final BlockingQueue<Got> got = new LinkedBlockingQueue<>();
  private final List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
  private ScriptedBroker broker;
  private KakaClient client;
  private Producer producer;

  @BeforeEach
  void connect() throws IOException {
    broker = ScriptedBroker.answering(ScriptedBroker.HELLO, this::receive);
    client = KakaClient.connect(broker.config());
    producer = client.producer(config());
  }

  @AfterEach
  void disconnect() throws IOException {
    producer.abort();
    client.close();
    broker.close();
  }

  private static ProducerConfig config() {
    return ProducerConfig.defaults().withBatchBytes(1024).withDeliveryTimeout(Duration.ofSeconds(15));
  }

  private void receive(Request request, ScriptedBroker.Peer peer) throws IOException {
    if (request instanceof ProduceBatch produce) {
      got.add(new Got(produce.batch(), peer));
    } else {
      peer.send(new DeleteTopicReply());
    }
  }

  /** Sends records until there are {@code count}, each a batch of its own. */
  private void send(int count) {
    while (sent.size() < count) {
      byte[] value = ("%04d".formatted(sent.size()) + "x".repeat(1020)).getBytes(UTF_8);
      sent.add(producer.send(ProducerRecord.of(P0, null, value)));
    }
  }

  /** The next produce, which must hold that record with these numbers. */
  private Got next(int number, int epoch, int sequence) throws Exception {
    Got next = got.take();
    assertEquals(number, next.number());
    assertEquals(ScriptedBroker.PRODUCER.id(), next.batch.producerId());
    assertEquals(epoch, next.batch.producerEpoch(), "epoch of record " + number);
    assertEquals(sequence, next.batch.baseSequence(), "sequence of record " + number);
    assertTrue(next.batch.isCrcValid());
    return next;
  }

  private void assertStored(int number, long offset) {
    assertEquals(new RecordMetadata(P0, offset), KakaException.await(sent.get(number)));
  }

  private KakaException failure(int number) {
    return assertThrows(KakaException.class, () -> KakaException.await(sent.get(number)));
  }

  @Test
  void atMostFiveOfAPartitionAreInFlight() throws Exception {
    send(8);
    List<Got> unanswered = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      unanswered.add(next(i, 0, i));
    }
    KakaException.await(client.admin().deleteTopic("any")); // the client's thread has done all it could
    assertEquals(0, unanswered.get(0).peer.unread(), "a sixth was sent");

    unanswered.remove(0).ack(0);

    next(5, 0, 5);
  }

  /** Several records in a batch: the next batch's number is the sum. */
  @Test
  void sequenceCountsRecords() throws Exception {
    send(5); // the window of the partition is full, so what comes now is one batch
    List<Got> five = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      five.add(next(i, 0, i));
    }
    for (int i = 0; i < 3; i++) {
      producer.send(ProducerRecord.of(P0, null, "0005".getBytes(UTF_8)));
    }
    producer.send(ProducerRecord.of(P0, null, ("0006" + "x".repeat(1020)).getBytes(UTF_8)));
    for (Got each : five) {
      each.ack(0);
    }

    assertEquals(3, next(5, 0, 5).batch.recordCount());
    next(6, 0, 8);
  }

  @Test
  void lostConnectionSendsTheSameNumbersAgain() throws Exception {
    AtomicInteger told = new AtomicInteger();
    producer.onConnectionLost(reason -> told.incrementAndGet());
    send(4);
    Got first = next(0, 0, 0);
    for (int i = 1; i < 4; i++) {
      next(i, 0, i);
    }
    first.ack(10);
    assertStored(0, 10);
    first.peer.hangUp();

    for (int i = 1; i < 4; i++) {
      next(i, 0, i).ack(10 + i);
      assertStored(i, 10 + i);
    }
    assertEquals(3, broker.acceptedConnections(), "the client's own and two of the producer");
    assertEquals(1, told.get());
  }

  /** Again and again, without any batch losing its place. */
  @Test
  void manyLostConnections() throws Exception {
    send(3);
    for (int round = 0; round < 5; round++) {
      Got first = next(0, 0, 0);
      next(1, 0, 1);
      next(2, 0, 2);
      first.peer.hangUp();
    }
    for (int i = 0; i < 3; i++) {
      next(i, 0, i).ack(i);
      assertStored(i, i);
    }
  }

  /** Unlike a disk that failed, one that is nearly full has certainly not taken it: the number is free for the next. */
  @Test
  void batchGivenUpForWantOfDiskSpaceLeavesItsNumber() throws Exception {
    producer = client.producer(config().withDeliveryTimeout(Duration.ofMillis(200)));
    send(1);
    while (!sent.get(0).isDone()) {
      Got again = got.poll(10, TimeUnit.MILLISECONDS);
      if (again != null) {
        again.refuse(ErrorCode.STORAGE, ErrorReply.DISK_NEARLY_FULL);
      }
    }
    assertTrue(failure(0).getMessage().contains("disk nearly full; not accepted within 200 ms"), failure(0).getMessage());
    assertFalse(failure(0).isMaybeStored());

    send(2);

    next(1, 0, 0).ack(0);
    assertStored(1, 0);
  }

  /** Nothing behind a refused batch is stored by the broker, so all are sent again with their numbers. */
  @Test
  void whatIsBehindARefusedBatchIsSentAgain() throws Exception {
    send(3);
    next(0, 0, 0).ack(0);
    Got first = next(1, 0, 1);
    Got second = next(2, 0, 2);
    first.refuse(ErrorCode.MEMORY);
    second.refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE);

    next(1, 0, 1).ack(1);
    next(2, 0, 2).ack(2);

    assertStored(1, 1);
    assertStored(2, 2);
  }

  @Test
  void whatIsBehindTheVeryFirstBatchIsOfAnUnknownProducer() throws Exception {
    send(3);
    next(0, 0, 0).refuse(ErrorCode.UNAVAILABLE);
    next(1, 0, 1).refuse(ErrorCode.UNKNOWN_PRODUCER);
    next(2, 0, 2).refuse(ErrorCode.UNKNOWN_PRODUCER);

    for (int i = 0; i < 3; i++) {
      next(i, 0, i).ack(i);
      assertStored(i, i);
    }
  }

  /** It is certainly not stored, so its number is free for the next. */
  @Test
  void afterAFinalRefusalTheRestTakesItsNumbers() throws Exception {
    send(3);
    next(0, 0, 0).ack(0);
    Got first = next(1, 0, 1);
    Got second = next(2, 0, 2);
    first.refuse(ErrorCode.BAD_REQUEST);
    second.refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE);

    next(2, 0, 1).ack(1);

    assertTrue(failure(1).is(ErrorCode.BAD_REQUEST));
    assertFalse(failure(1).isMaybeStored());
    assertStored(2, 1);
    send(4);
    next(3, 0, 2).ack(2);
  }

  /** After a disk's failure it may turn out to be stored: no other batch may have its number, or it would be taken for it. */
  @Test
  void afterAStorageFailureTheRestBeginsAnew() throws Exception {
    send(3);
    next(0, 0, 0).ack(0);
    Got first = next(1, 0, 1);
    Got second = next(2, 0, 2);
    first.refuse(ErrorCode.STORAGE);
    second.refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE);

    next(2, 1, 0).ack(1);

    assertTrue(failure(1).is(ErrorCode.STORAGE));
    assertStored(2, 1);
  }

  @Test
  void forgottenProducerBeginsAnewWithWhatCannotBeStored() throws Exception {
    send(1);
    next(0, 0, 0).ack(0);
    assertStored(0, 0);
    send(3);
    Got first = next(1, 0, 1);
    Got second = next(2, 0, 2); // before the refusal, or the producer might begin anew without having sent it
    first.refuse(ErrorCode.UNKNOWN_PRODUCER);
    second.refuse(ErrorCode.UNKNOWN_PRODUCER);

    next(1, 1, 0).ack(1);
    next(2, 1, 1).ack(2);

    assertStored(1, 1);
    assertStored(2, 2);
  }

  /** Nobody can tell whether the first was stored before the broker forgot; the second cannot be sent with other numbers. */
  @Test
  void forgottenProducerLeavesWhatMayBeStoredUnknown() throws Exception {
    send(1);
    next(0, 0, 0).ack(0);
    assertStored(0, 0);
    send(3);
    Got lost = next(1, 0, 1);
    next(2, 0, 2);
    CountDownLatch noticed = new CountDownLatch(1);
    producer.onConnectionLost(reason -> noticed.countDown());
    lost.peer.hangUp();
    noticed.await(); // or the fourth could still go over the connection that is lost
    send(4);
    next(1, 0, 1).refuse(ErrorCode.UNKNOWN_PRODUCER);
    next(2, 0, 2).refuse(ErrorCode.UNKNOWN_PRODUCER);
    next(3, 0, 3).refuse(ErrorCode.UNKNOWN_PRODUCER);

    next(3, 1, 0).ack(9);

    assertTrue(failure(1).isMaybeStored());
    assertTrue(failure(1).getMessage().contains("lost what it knew"), failure(1).getMessage());
    assertTrue(failure(2).isMaybeStored());
    assertStored(3, 9);
  }

  /** The broker says what was not stored, so that is sent again under new numbers although it was once on a lost connection. */
  @Test
  void outOfOrderBehindAFailedBatchIsNotStored() throws Exception {
    send(2);
    Got lost = next(0, 0, 0);
    next(1, 0, 1);
    lost.peer.hangUp();
    Got first = next(0, 0, 0);
    Got second = next(1, 0, 1);
    first.refuse(ErrorCode.UNSUPPORTED);
    second.refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE);

    next(1, 1, 0).ack(0);

    assertTrue(failure(0).isMaybeStored(), "it may be stored since the first time");
    assertStored(1, 0);
  }

  @Test
  void acknowledgedByOffsetOfTheFirstTimeWhateverCameBetween() throws Exception {
    send(2);
    Got lost = next(0, 0, 0);
    next(1, 0, 1);
    lost.peer.hangUp();
    next(0, 0, 0).refuse(ErrorCode.MEMORY); // no room even to look; both are stored
    next(1, 0, 1).ack(1);

    next(0, 0, 0).ack(0);

    assertStored(0, 0);
    assertStored(1, 1);
  }

  @Test
  void whatMayBeStoredExpiresWithUnknownOutcome() throws Exception {
    try (Producer hasty = client.producer(config().withDeliveryTimeout(Duration.ofMillis(100)))) {
      CompletableFuture<RecordMetadata> record = hasty.send(ProducerRecord.of(P0, null, "0000".getBytes(UTF_8)));
      Got inFlight = got.take();
      broker.stopListening();
      inFlight.peer.hangUp();

      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(record));

      assertEquals(Reason.EXPIRED, failure.reason());
      assertTrue(failure.isMaybeStored());
    }
  }

  @Test
  void abortLeavesWhatIsInFlightUnknown() throws Exception {
    send(6);
    for (int i = 0; i < 5; i++) {
      next(i, 0, i);
    }

    producer.abort();

    for (int i = 0; i < 6; i++) {
      assertEquals(Reason.CLOSED, failure(i).reason());
      assertEquals(i < 5, failure(i).isMaybeStored(), "record " + i);
    }
  }

  @Test
  void brokerThatGivesNoProducerIdIsNamed() throws Exception {
    try (ScriptedBroker old =
            ScriptedBroker.raw((request, peer) -> peer.send(ScriptedBroker.HELLO));
        KakaClient oldClient = KakaClient.connect(old.config());
        Producer refused = oldClient.producer(config())) {
      CompletableFuture<RecordMetadata> record = refused.send(ProducerRecord.of(P0, null, new byte[1]));

      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(record));

      assertTrue(failure.getMessage().contains("no producer id"), failure.getMessage());
      assertFalse(failure.isMaybeStored());
    }
  }
}
