package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kaka.client.KakaException.Reason;
import kaka.protocol.ProduceBatch;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a producer refuses at once, and its end. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerTest extends ScriptedProduces {
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
