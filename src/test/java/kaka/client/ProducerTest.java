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
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kaka.client.KakaException.Reason;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Request;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The producer that is not idempotent against brokers that answer late, refuse, or go away. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerTest {
  private static final TopicPartition P0 = new TopicPartition("t", 0);
  private static final TopicPartition P1 = new TopicPartition("t", 1);

  /** A produce as the broker got it; the test answers it. */
  private record Got(ProduceBatch request, ScriptedBroker.Peer peer) {
    List<String> values() {
      try {
        return request.batch().records().stream().map(Record::value).map(value -> new String(value, UTF_8)).toList();
      } catch (InvalidBatchException e) {
        throw new AssertionError(e);
      }
    }

    void ack(long baseOffset) throws IOException {
      peer.send(new ProduceAck(baseOffset));
    }

    void refuse(ErrorCode code) throws IOException {
      refuse(code, "scripted");
    }

    void refuse(ErrorCode code, String message) throws IOException {
      peer.send(new ErrorReply(code, message));
    }
  }

  private final BlockingQueue<Got> got = new LinkedBlockingQueue<>();

  private ScriptedBroker broker(int windowRequests, int windowBytes) throws IOException {
    return ScriptedBroker.answering(ScriptedBroker.hello(windowRequests, windowBytes), this::receive);
  }

  private void receive(Request request, ScriptedBroker.Peer peer) throws IOException {
    if (request instanceof ProduceBatch produce) {
      got.add(new Got(produce, peer));
    } else {
      peer.send(new DeleteTopicReply());
    }
  }

  private Got next() throws InterruptedException {
    return got.take();
  }

  /** Once this returns the client's thread has done all it could with what was sent before. */
  private static void settle(KakaClient client) {
    KakaException.await(client.admin().deleteTopic("any"));
  }

  private static ProducerRecord record(TopicPartition to, String value) {
    return ProducerRecord.of(to, null, value.getBytes(UTF_8));
  }

  /** A value that makes its batch full, so that each is a request of its own. */
  private static ProducerRecord full(TopicPartition to, int number) {
    return record(to, "%04d".formatted(number) + "x".repeat(1020));
  }

  /** Without numbers, so that the window is the bound, and what is in flight is never sent again. */
  private static ProducerConfig plain() {
    return ProducerConfig.defaults().withIdempotent(false);
  }

  private static ProducerConfig smallBatches() {
    return plain().withBatchBytes(1024).withDeliveryTimeout(Duration.ofSeconds(10));
  }

  private static KakaException failure(CompletableFuture<?> future) {
    return assertThrows(KakaException.class, () -> KakaException.await(future));
  }

  @Test
  void requestsInFlightAreExactlyTheWindow() throws Exception {
    int window = 5;
    try (ScriptedBroker broker = broker(window, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        sent.add(producer.send(full(P0, i)));
      }
      List<Got> unanswered = new ArrayList<>();
      for (int i = 0; i < window; i++) {
        unanswered.add(next());
      }
      settle(client);
      assertEquals(window, producer.requestsInFlight());
      assertEquals(0, unanswered.get(0).peer.unread());
      assertTrue(got.isEmpty(), "nothing beyond the window was sent");

      for (int i = 0; i < 40; i++) {
        Got oldest = unanswered.remove(0);
        assertTrue(oldest.values().get(0).startsWith("%04d".formatted(i)), "in order");
        oldest.ack(i);
        if (i + window < 40) {
          unanswered.add(next());
        }
      }

      for (int i = 0; i < 40; i++) {
        assertEquals(new RecordMetadata(P0, i), KakaException.await(sent.get(i)));
      }
      assertEquals(window, producer.peakRequestsInFlight());
      assertEquals(40, producer.ackedRecords());
    }
  }

  @Test
  void bytesInFlightStayWithinTheWindow() throws Exception {
    try (ScriptedBroker broker = broker(64, 2500);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      for (int i = 0; i < 6; i++) {
        producer.send(full(P0, i));
      }
      Got first = next();
      Got second = next();
      settle(client);
      assertEquals(2, producer.requestsInFlight(), "a third of 1.1 KiB does not fit");

      first.ack(0);
      second.ack(1);
      for (int i = 2; i < 6; i++) {
        next().ack(i);
      }

      KakaException.await(producer.flush());
      assertEquals(2, producer.peakRequestsInFlight());
    }
  }

  /** What is due and does not fit waits for an answer, not for a timer: the client's thread stays free to read that answer. */
  @Test
  void dueBatchLargerThanTheCreditLeftWaitsForAnAck() throws Exception {
    ProducerConfig config = smallBatches().withLinger(Duration.ofMillis(1));
    try (ScriptedBroker broker = broker(64, 2700);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(config)) {
      for (int i = 0; i < 3; i++) {
        producer.send(full(P0, i));
      }
      producer.send(record(P1, "x".repeat(900))); // not full: it becomes due by its age, behind one without credit
      Got first = next();
      Got second = next();
      long lastDueNanos = System.nanoTime() + Duration.ofMillis(2).toNanos();
      while (System.nanoTime() - lastDueNanos < 0) {
        settle(client);
      }
      settle(client);
      assertEquals(2, producer.requestsInFlight(), "a third of 1.1 KiB does not fit");

      first.ack(0);
      second.ack(1);
      next().ack(2);
      next().ack(3);

      KakaException.await(producer.flush());
      assertEquals(4, producer.ackedRecords());
    }
  }

  /** One that is larger than the window in bytes must go alone, or it would never go. */
  @Test
  void requestLargerThanTheByteWindowGoesAlone() throws Exception {
    try (ScriptedBroker broker = broker(64, 100);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      CompletableFuture<RecordMetadata> first = producer.send(full(P0, 0));
      CompletableFuture<RecordMetadata> second = producer.send(full(P0, 1));

      next().ack(0);
      next().ack(1);

      assertEquals(0, KakaException.await(first).offset());
      assertEquals(1, KakaException.await(second).offset());
      assertEquals(1, producer.peakRequestsInFlight());
    }
  }

  @Test
  void batchesGrowWhileTheCreditIsOut() throws Exception {
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(plain())) {
      producer.send(record(P0, "first"));
      Got first = next();
      for (int i = 0; i < 1000; i++) {
        producer.send(record(P0, "later " + i));
      }

      first.ack(0);

      Got second = next();
      assertEquals(1000, second.values().size());
      assertEquals("later 0", second.values().get(0));
      assertEquals("later 999", second.values().get(999));
      second.ack(1);
    }
  }

  /** The linger is an hour: only a full batch, or a flush, is sent within this test. */
  @Test
  void batchLingersUntilItIsFullOrFlushed() throws Exception {
    ProducerConfig config =
        smallBatches().withDeliveryTimeout(Duration.ofHours(2)).withLinger(Duration.ofHours(1));
    try (ScriptedBroker broker = broker(64, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(config)) {
      CompletableFuture<RecordMetadata> first = producer.send(record(P0, "x".repeat(450)));
      producer.send(record(P0, "x".repeat(450)));
      producer.send(record(P0, "x".repeat(450)));
      Got full = next();
      assertEquals(2, full.values().size(), "two fit into 1024 bytes");
      full.ack(0);
      KakaException.await(first);
      settle(client);
      assertEquals(0, producer.requestsInFlight(), "the third lingers");

      CompletableFuture<Void> flushed = producer.flush();
      Got rest = next();
      assertFalse(flushed.isDone());
      assertEquals(1, rest.values().size());
      rest.ack(2);

      KakaException.await(flushed);
      assertEquals(3, producer.ackedRecords());
    }
  }

  @Test
  void lingerEndsByItself() throws Exception {
    try (ScriptedBroker broker = broker(64, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(plain().withLinger(Duration.ofMillis(500)))) {
      producer.send(record(P0, "a"));
      CompletableFuture<RecordMetadata> second = producer.send(record(P0, "b"));

      Got batch = next();
      assertEquals(List.of("a", "b"), batch.values());
      batch.ack(7);

      assertEquals(8, KakaException.await(second).offset());
    }
  }

  /** With acks withheld the buffer fills: trySend refuses, send parks, and one ack makes room for both. */
  @Test
  void fullBufferParksSendAndRefusesTrySend() throws Exception {
    ProducerConfig config = smallBatches().withBufferBytes(8 * 1024);
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(config)) {
      int taken = 0;
      while (producer.trySend(full(P0, taken)).isPresent()) {
        taken++;
      }
      assertTrue(taken >= 5 && taken <= 7, taken + " records of 1 KiB in 8 KiB");
      CompletableFuture<Void> room = producer.whenRoom();
      CountDownLatch parked = new CountDownLatch(1);
      CompletableFuture<RecordMetadata> last = new CompletableFuture<>();
      int number = taken;
      Thread sender =
          new Thread(
              () -> {
                parked.countDown();
                producer.send(full(P0, number)).thenAccept(last::complete);
              });
      sender.start();
      parked.await();
      while (sender.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      assertFalse(room.isDone());

      next().ack(0);
      KakaException.await(room);
      for (int i = 1; i <= taken; i++) {
        next().ack(i);
      }

      assertEquals(taken, last.get().offset());
      assertTrue(producer.peakBufferedBytes() <= 8 * 1024, producer.peakBufferedBytes() + " bytes");
      sender.join();
    }
  }

  @Test
  void interruptedWhileParkedTakesNothing() throws Exception {
    ProducerConfig config = smallBatches().withBufferBytes(2 * 1024);
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(config)) {
      producer.send(full(P0, 0));
      Got first = next();
      Thread.currentThread().interrupt();

      KakaException failure = failure(producer.send(full(P0, 1)));

      assertTrue(Thread.interrupted(), "the interrupt is still there for the caller");
      assertEquals(Reason.INTERRUPTED, failure.reason());
      first.ack(0);
      KakaException.await(producer.flush());
      assertEquals(1, producer.sentRecords());
    }
  }

  /** Refused together, sent again together: the order is that of the sends, and nobody hears of it. */
  @Test
  void refusedForMemoryIsSentAgainInOrder() throws Exception {
    try (ScriptedBroker broker = broker(3, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        sent.add(producer.send(full(P0, i)));
      }
      for (Got each : List.of(next(), next(), next())) {
        each.refuse(ErrorCode.MEMORY);
      }

      for (int i = 0; i < 6; i++) {
        Got again = next();
        assertTrue(again.values().get(0).startsWith("%04d".formatted(i)), again.values().get(0).substring(0, 4));
        if (i == 0) {
          settle(client);
          assertEquals(1, producer.requestsInFlight(), "one at a time until the first ack");
          again.refuse(ErrorCode.UNAVAILABLE);
          again = next();
          assertTrue(again.values().get(0).startsWith("0000"));
        }
        again.ack(i);
      }

      for (int i = 0; i < 6; i++) {
        assertEquals(i, KakaException.await(sent.get(i)).offset());
      }
      assertEquals(0, producer.failedRecords());
    }
  }

  @Test
  void refusalOfOnePartitionDoesNotHoldUpAnother() throws Exception {
    try (ScriptedBroker broker = broker(64, 32 << 20);
        KakaClient client =
            KakaClient.connect(broker.config().withRetryBackoff(Duration.ofHours(1), Duration.ofHours(1)));
        Producer producer = client.producer(smallBatches().withDeliveryTimeout(Duration.ofMillis(300)))) {
      CompletableFuture<RecordMetadata> refused = producer.send(full(P0, 0));
      next().refuse(ErrorCode.MEMORY);
      CompletableFuture<RecordMetadata> other = producer.send(full(P1, 0));

      next().ack(3);

      assertEquals(new RecordMetadata(P1, 3), KakaException.await(other));
      assertTrue(failure(refused).is(ErrorCode.MEMORY));
    }
  }

  /** Sent again it would stand behind a record that was given later: that is told, not done. */
  @Test
  void refusedBeforeOneThatWasStoredFails() throws Exception {
    try (ScriptedBroker broker = broker(3, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      CompletableFuture<RecordMetadata> first = producer.send(full(P0, 0));
      CompletableFuture<RecordMetadata> second = producer.send(full(P0, 1));
      Got got1 = next();
      Got got2 = next();

      got1.refuse(ErrorCode.MEMORY);
      got2.ack(0);

      KakaException failure = failure(first);
      assertTrue(failure.is(ErrorCode.MEMORY));
      assertTrue(failure.isRetriable());
      assertFalse(failure.isMaybeStored());
      assertTrue(failure.getMessage().contains("not sent again"), failure.getMessage());
      assertEquals(0, KakaException.await(second).offset());
      CompletableFuture<RecordMetadata> third = producer.send(full(P0, 2));
      next().ack(1);
      assertEquals(1, KakaException.await(third).offset());
    }
  }

  @Test
  void refusalThatNoRetryCuresFailsAtOnce() throws Exception {
    try (ScriptedBroker broker = broker(3, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      CompletableFuture<RecordMetadata> refused = producer.send(full(P0, 0));
      next().refuse(ErrorCode.STORAGE);

      KakaException failure = failure(refused);

      assertTrue(failure.is(ErrorCode.STORAGE));
      assertFalse(failure.isRetriable());
      assertFalse(failure.isMaybeStored());
      assertEquals(1, producer.failedRecords());
      assertEquals(failure.getMessage(), producer.firstFailure().join().getMessage());
    }
  }

  /** Space returns, a disk that failed does not: only the message tells them apart. */
  @Test
  void refusedForWantOfDiskSpaceIsSentAgain() throws Exception {
    try (ScriptedBroker broker = broker(3, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      CompletableFuture<RecordMetadata> sent = producer.send(full(P0, 0));
      for (int i = 0; i < 3; i++) {
        next().refuse(ErrorCode.STORAGE, ErrorReply.DISK_NEARLY_FULL);
      }
      next().ack(5);

      assertEquals(5, KakaException.await(sent).offset());
      assertEquals(0, producer.failedRecords());
    }
  }

  @Test
  void memoryRefusedForTooLongFails() throws Exception {
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO, (request, peer) -> peer.send(new ErrorReply(ErrorCode.MEMORY, "full")));
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches().withDeliveryTimeout(Duration.ofMillis(500)))) {
      KakaException failure = failure(producer.send(full(P0, 0)));

      assertTrue(failure.is(ErrorCode.MEMORY));
      assertTrue(failure.getMessage().contains("not accepted within 500 ms"), failure.getMessage());
      assertFalse(failure.isMaybeStored());
    }
  }

  /** What was on its way is unknown and not sent again; what was not sent goes over the next connection. */
  @Test
  void lostConnectionLeavesInFlightUnknownAndSendsTheRest() throws Exception {
    try (ScriptedBroker broker = broker(2, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        sent.add(producer.send(full(P0, i)));
      }
      next();
      next().peer.hangUp();

      for (int i = 0; i < 2; i++) {
        KakaException failure = failure(sent.get(i));
        assertEquals(Reason.CONNECTION_LOST, failure.reason());
        assertTrue(failure.isMaybeStored());
        assertTrue(failure.getMessage().contains("may or may not be stored"), failure.getMessage());
      }
      for (int i = 2; i < 4; i++) {
        Got again = next();
        assertTrue(again.values().get(0).startsWith("%04d".formatted(i)));
        again.ack(i);
        assertEquals(i, KakaException.await(sent.get(i)).offset());
      }
    }
  }

  /**
   * The broker does not read, so most frames wait for the socket when the connection ends: those cannot have been stored, and
   * all of them, in order, go over the next connection; only those before them are unknown.
   */
  @Test
  void whatTheSocketHadNotTakenIsSentAgain() throws Exception {
    int count = 30;
    CountDownLatch reading = new CountDownLatch(1);
    CompletableFuture<ScriptedBroker.Peer> connected = new CompletableFuture<>();
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO,
                (request, peer) -> {
                  if (!(request instanceof ProduceBatch)) {
                    peer.send(new DeleteTopicReply());
                  } else if (connected.complete(peer)) {
                    awaitUninterruptibly(reading);
                  } else {
                    receive(request, peer);
                  }
                });
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches().withBufferBytes(64 << 20))) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(producer.send(record(P0, "%04d".formatted(i) + "x".repeat(900_000))));
      }
      ScriptedBroker.Peer first = connected.get();
      settle(client);
      first.hangUp();
      reading.countDown();

      Got resent = next();
      int unknown = Integer.parseInt(resent.values().get(0).substring(0, 4));
      assertTrue(unknown > 0 && unknown < count, unknown + " of " + count + " were sent");
      for (int i = unknown; i < count; i++) {
        assertTrue(resent.values().get(0).startsWith("%04d".formatted(i)));
        resent.ack(i);
        resent = i + 1 < count ? next() : resent;
      }

      for (int i = 0; i < unknown; i++) {
        assertTrue(failure(sent.get(i)).isMaybeStored());
      }
      for (int i = unknown; i < count; i++) {
        assertEquals(i, KakaException.await(sent.get(i)).offset());
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void unansweredProduceIsUnknownAfterTheRequestTimeout() throws Exception {
    try (ScriptedBroker broker = broker(2, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config().withRequestTimeout(Duration.ofMillis(50)));
        Producer producer = client.producer(smallBatches())) {
      KakaException failure = failure(producer.send(full(P0, 0)));

      assertEquals(Reason.NO_ANSWER, failure.reason());
      assertTrue(failure.isMaybeStored());
    }
  }

  @Test
  void garbageForAnAckIsUnknownAndEndsTheConnection() throws Exception {
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches())) {
      CompletableFuture<RecordMetadata> inFlight = producer.send(full(P0, 0));
      CompletableFuture<RecordMetadata> waiting = producer.send(full(P0, 1));
      next().peer.send("what?".getBytes(UTF_8));

      assertEquals(Reason.BAD_ANSWER, failure(inFlight).reason());
      assertTrue(failure(inFlight).isMaybeStored());
      assertEquals(Reason.BAD_ANSWER, failure(waiting).reason());
      assertFalse(failure(waiting).isMaybeStored());
    }
  }

  /** The broker is gone for good: what was never sent fails at its time, and says why. */
  @Test
  void recordExpiresWhileNobodyListens() throws Exception {
    ScriptedBroker broker = broker(1, 32 << 20);
    try (KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches().withDeliveryTimeout(Duration.ofMillis(500)))) {
      broker.close();

      KakaException failure = failure(producer.send(full(P0, 0)));

      assertEquals(Reason.EXPIRED, failure.reason());
      assertFalse(failure.isMaybeStored());
      assertTrue(failure.getMessage().contains("cannot connect to"), failure.getMessage());
    }
  }

  @Test
  void recordLargerThanAFrameIsRefusedHere() throws Exception {
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(plain())) {
      KakaException failure = failure(producer.send(ProducerRecord.of(P0, null, new byte[1 << 20])));

      assertEquals(Reason.RECORD_TOO_LARGE, failure.reason());
      assertEquals(0, producer.sentRecords());
    }
  }

  /** Noticed only on the client's thread it would end that thread, and with it everything else. */
  @Test
  void impossibleNamesAreRefusedWhereTheyAreGiven() throws Exception {
    String tooLong = "x".repeat(250);

    assertThrows(IllegalArgumentException.class, () -> ProducerRecord.of(new TopicPartition(tooLong, 0), null, null));
    assertThrows(
        NullPointerException.class,
        () -> record(P0, "").withHeaders(List.of(new kaka.record.Header(null, new byte[0]))));
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config())) {
      assertThrows(
          IllegalArgumentException.class,
          () -> client.consumer(
              ConsumerConfig.defaults(), java.util.Map.of(new TopicPartition(tooLong, 0), StartPosition.EARLIEST)));
    }
  }

  @Test
  void closeWaitsForWhatIsInFlightAndThenTakesNothing() throws Exception {
    try (ScriptedBroker broker = broker(1, 32 << 20);
        KakaClient client = KakaClient.connect(broker.config())) {
      Producer producer = client.producer(smallBatches());
      CompletableFuture<RecordMetadata> first = producer.send(full(P0, 0));
      CompletableFuture<RecordMetadata> second = producer.send(full(P0, 1));
      Thread closer = new Thread(producer::close);
      closer.start();
      Got got1 = next();
      while (closer.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }

      assertEquals(Reason.CLOSED, failure(producer.send(full(P0, 2))).reason());
      assertFalse(first.isDone());
      got1.ack(0);
      next().ack(1);

      closer.join();
      assertEquals(1, KakaException.await(second).offset());
    }
  }

  @Test
  void sendInACallbackOfTheFullProducerSaysSoInsteadOfWaitingForItself() throws Exception {
    ProducerConfig config = smallBatches().withBufferBytes(2 * 1024);
    CountDownLatch attached = new CountDownLatch(1);
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO,
                (request, peer) -> {
                  if (!(request instanceof ProduceBatch)) {
                    awaitUninterruptibly(attached);
                  }
                  receive(request, peer);
                });
        KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(config)) {
      producer.send(full(P0, 0));
      assertEquals(Optional.empty(), producer.trySend(full(P0, 1)));
      CompletableFuture<?> parking = client.admin().deleteTopic("any").thenApply(done -> producer.send(full(P0, 1)));
      attached.countDown(); // only now the answer comes, so the callback runs on the client's thread

      assertThrows(IllegalStateException.class, () -> KakaException.await(parking));
      next().ack(0);
    }
  }
}
