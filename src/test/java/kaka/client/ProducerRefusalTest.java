package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A producer that is not idempotent, and batches that the broker refuses. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerRefusalTest extends ScriptedProduces {
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
}
