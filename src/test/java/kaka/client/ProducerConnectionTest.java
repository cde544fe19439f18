package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
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
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ProduceBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A producer that is not idempotent, and connections that end, or answer nothing or nonsense. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerConnectionTest extends ScriptedProduces {
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
      next().peer().hangUp();

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
      next().peer().send("what?".getBytes(UTF_8));

      assertEquals(Reason.BAD_ANSWER, failure(inFlight).reason());
      assertTrue(failure(inFlight).isMaybeStored());
      assertEquals(Reason.BAD_ANSWER, failure(waiting).reason());
      assertFalse(failure(waiting).isMaybeStored());
    }
  }

  /**
   * The broker is gone for good: what was never sent fails at its time, and says why, once that is known: where this machine is so
   * busy that the first attempt has no end yet, the next record knows.
   */
  @Test
  void recordExpiresWhileNobodyListens() throws Exception {
    ScriptedBroker broker = broker(1, 32 << 20);
    try (KakaClient client = KakaClient.connect(broker.config());
        Producer producer = client.producer(smallBatches().withDeliveryTimeout(Duration.ofMillis(500)))) {
      broker.close();

      KakaException failure;
      do {
        failure = failure(producer.send(full(P0, 0)));

        assertEquals(Reason.EXPIRED, failure.reason());
        assertFalse(failure.isMaybeStored());
      } while (!failure.getMessage().contains("cannot connect to"));
    }
  }
}
