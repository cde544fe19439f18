package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.Request;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.TopicPartition;

/** Tests of a producer whose broker collects the produces, and answers each as the test says. */
abstract class ScriptedProduces {
  static final TopicPartition P0 = new TopicPartition("t", 0);
  static final TopicPartition P1 = new TopicPartition("t", 1);

  /** A produce as the broker got it; the test answers it. */
  record Got(ProduceBatch request, ScriptedBroker.Peer peer) {
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

  final BlockingQueue<Got> got = new LinkedBlockingQueue<>();

  ScriptedBroker broker(int windowRequests, int windowBytes) throws IOException {
    return ScriptedBroker.answering(ScriptedBroker.hello(windowRequests, windowBytes), this::receive);
  }

  void receive(Request request, ScriptedBroker.Peer peer) throws IOException {
    if (request instanceof ProduceBatch produce) {
      got.add(new Got(produce, peer));
    } else {
      peer.send(new DeleteTopicReply());
    }
  }

  Got next() throws InterruptedException {
    return got.take();
  }

  /** Once this returns the client's thread has done all it could with what was sent before. */
  static void settle(KakaClient client) {
    KakaException.await(client.admin().deleteTopic("any"));
  }

  static ProducerRecord record(TopicPartition to, String value) {
    return ProducerRecord.of(to, null, value.getBytes(UTF_8));
  }

  /** A value that makes its batch full, so that each is a request of its own. */
  static ProducerRecord full(TopicPartition to, int number) {
    return record(to, "%04d".formatted(number) + "x".repeat(1020));
  }

  /** Without numbers, so that the window is the bound, and what is in flight is never sent again. */
  static ProducerConfig plain() {
    return ProducerConfig.defaults().withIdempotent(false);
  }

  static ProducerConfig smallBatches() {
    return plain().withBatchBytes(1024).withDeliveryTimeout(Duration.ofSeconds(10));
  }

  static KakaException failure(CompletableFuture<?> future) {
    return assertThrows(KakaException.class, () -> KakaException.await(future));
  }

  static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
