package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kaka.client.KakaException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much a producer that is not idempotent has in flight, in its batches and in its buffer. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerWindowTest extends ScriptedProduces {
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
      assertEquals(0, unanswered.get(0).peer().unread());
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
}
