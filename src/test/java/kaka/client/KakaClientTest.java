package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Iterator;
import java.util.Collections;
import java.util.Arrays;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import kaka.client.KakaException.Reason;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Hello;
import kaka.protocol.MetadataReply;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.OffsetForTimeReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connecting, and what becomes of questions when the other side is no healthy broker. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KakaClientTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  private static KakaException failure(CompletableFuture<?> future) {
    return assertThrows(KakaException.class, () -> KakaException.await(future));
  }

  private static KakaException connectFailure(ScriptedBroker broker) {
    return assertThrows(KakaException.class, () -> KakaClient.connect(broker.config().withConnectTimeout(Duration.ofSeconds(5))));
  }

  @Test
  void helloTellsTheBrokersLimits() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.answering(ScriptedBroker.HELLO, (request, peer) -> {});
        KakaClient client = KakaClient.connect(broker.config())) {
      assertEquals(1 << 20, client.maxFrameBytes());
      assertEquals("scripted", client.brokerVersion());
    }
  }

  @Test
  void hostNameIsLookedUp() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.answering(ScriptedBroker.HELLO, (request, peer) -> {})) {
      ClientConfig byName = ClientConfig.of("localhost", broker.config().port());

      KakaClient.connect(byName).close();

      assertEquals(1, broker.acceptedConnections());
    }
  }

  @Test
  void unknownHostIsNotConnected() {
    KakaException failure =
        assertThrows(KakaException.class, () -> KakaClient.connect(ClientConfig.of("no-such-host.invalid", 9092)));

    assertEquals(Reason.NOT_CONNECTED, failure.reason());
    assertTrue(failure.getMessage().contains("unknown host no-such-host.invalid"), failure.getMessage());
  }

  @Test
  void nobodyListeningIsNotConnected() throws IOException {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }

    KakaException failure = assertThrows(KakaException.class, () -> KakaClient.connect(ClientConfig.of("127.0.0.1", port)));

    assertEquals(Reason.NOT_CONNECTED, failure.reason());
    assertTrue(failure.isRetriable());
    assertTrue(failure.getMessage().contains("cannot connect to 127.0.0.1:" + port), failure.getMessage());
  }

  @Test
  void silentPeerIsNotConnectedAfterTheConnectTimeout() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.raw((request, peer) -> {})) {
      KakaException failure =
          assertThrows(KakaException.class, () -> KakaClient.connect(broker.config().withConnectTimeout(SHORT)));

      assertEquals(Reason.NOT_CONNECTED, failure.reason());
      assertTrue(failure.getMessage().contains("within 50 ms"), failure.getMessage());
    }
  }

  @Test
  void refusedHelloCarriesTheBrokersError() throws IOException {
    try (ScriptedBroker broker =
        ScriptedBroker.raw((request, peer) -> peer.send(new ErrorReply(ErrorCode.UNSUPPORTED, "version 1 is too old")))) {
      KakaException failure = connectFailure(broker);

      assertEquals(Reason.REFUSED, failure.reason());
      assertTrue(failure.is(ErrorCode.UNSUPPORTED));
      assertEquals("UNSUPPORTED: version 1 is too old", failure.getMessage());
    }
  }

  @Test
  void peerThatHangsUpIsNotConnected() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.raw((request, peer) -> peer.hangUp())) {
      assertEquals(Reason.NOT_CONNECTED, connectFailure(broker).reason());
    }
  }

  /** Another service's text, a Kafka broker's leading zeros, a length of 0, an unknown type, a body that is cut short. */
  @Test
  void garbageInsteadOfHelloIsABadAnswer() throws IOException {
    List<byte[]> garbage =
        List.of(
            "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8),
            new byte[] {0, 0, 0, 9, 0, 0, 0, 0, 0, 1, 2, 3, 4},
            new byte[] {0, 0, 0, 0, 1},
            new byte[] {0, 0, 0, 1, 0x77},
            new byte[] {0, 0, 0, 3, (byte) 0x86, 0, 1},
            new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0x86});
    for (byte[] bytes : garbage) {
      try (ScriptedBroker broker = ScriptedBroker.raw((request, peer) -> peer.send(bytes))) {
        KakaException failure = connectFailure(broker);

        assertEquals(Reason.BAD_ANSWER, failure.reason(), failure.getMessage());
        assertFalse(failure.isRetriable());
      }
    }
  }

  @Test
  void garbageFailsAllThatIsPendingAndTheNextQuestionOpensANewConnection() throws IOException {
    CompletableFuture<Void> bothAsked = new CompletableFuture<>();
    List<String> asked = new ArrayList<>();
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO,
                (request, peer) -> {
                  asked.add(request.toString());
                  if (peer.number > 0) {
                    peer.send(new DeleteTopicReply());
                  } else if (asked.size() == 2) {
                    peer.send(new byte[] {0, 0, 0, 2, (byte) 0x88, 99});
                  }
                });
        KakaClient client = KakaClient.connect(broker.config())) {
      CompletableFuture<Void> first = client.admin().deleteTopic("a");
      CompletableFuture<Void> second = client.admin().deleteTopic("b");

      assertEquals(Reason.BAD_ANSWER, failure(first).reason());
      assertEquals(Reason.BAD_ANSWER, failure(second).reason());
      KakaException.await(client.admin().deleteTopic("c"));
      assertEquals(2, broker.acceptedConnections());
    }
  }

  @Test
  void answerOfAnotherRequestsTypeIsABadAnswer() throws IOException {
    try (ScriptedBroker broker =
            ScriptedBroker.answering(ScriptedBroker.HELLO, (request, peer) -> peer.send(new OffsetForTimeReply(1)));
        KakaClient client = KakaClient.connect(broker.config())) {
      KakaException failure = failure(client.admin().deleteTopic("a"));

      assertEquals(Reason.BAD_ANSWER, failure.reason());
      assertTrue(failure.getMessage().contains("0x8a where DeleteTopicReply was due"), failure.getMessage());
    }
  }

  @Test
  void answerThatNobodyAskedForEndsTheConnection() throws IOException {
    try (ScriptedBroker broker =
            ScriptedBroker.raw(
                (request, peer) -> {
                  if (request instanceof Hello && peer.number == 0) {
                    byte[] hello = ScriptedBroker.HELLO.toFrame();
                    byte[] extra = new DeleteTopicReply().toFrame();
                    byte[] both = new byte[hello.length + extra.length];
                    System.arraycopy(hello, 0, both, 0, hello.length);
                    System.arraycopy(extra, 0, both, hello.length, extra.length);
                    peer.send(both);
                  } else if (request instanceof Hello) {
                    peer.send(ScriptedBroker.HELLO);
                  } else {
                    peer.send(new MetadataReply(List.of()));
                  }
                });
        KakaClient client = KakaClient.connect(broker.config())) {
      assertEquals(List.of(), KakaException.await(client.admin().listTopics()));

      assertEquals(2, broker.acceptedConnections());
    }
  }

  /** One byte at a time, so that every field of every frame is cut once. */
  @Test
  void answersMayComeInPieces() throws IOException {
    UUID id = new UUID(3, 4);
    MetadataReply reply = new MetadataReply(List.of(MetadataReply.Topic.of("b", id, 2), MetadataReply.Topic.of("a", id, 1)));
    try (ScriptedBroker broker =
            ScriptedBroker.raw(
                (request, peer) -> {
                  byte[] frame = (request instanceof Hello ? ScriptedBroker.HELLO : reply).toFrame();
                  for (byte b : frame) {
                    peer.send(new byte[] {b});
                  }
                });
        KakaClient client = KakaClient.connect(broker.config())) {
      assertEquals(
          List.of(new TopicInfo("a", id, 1), new TopicInfo("b", id, 2)), KakaException.await(client.admin().listTopics()));
    }
  }

  @Test
  void questionUnansweredForTheRequestTimeoutClosesItsConnection() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.answering(ScriptedBroker.HELLO, (request, peer) -> {});
        KakaClient client = KakaClient.connect(quick(broker.config()))) {
      CompletableFuture<Void> first = client.admin().deleteTopic("a");
      CompletableFuture<Void> second = client.admin().deleteTopic("b");

      KakaException failure = failure(first);
      assertEquals(Reason.NO_ANSWER, failure.reason());
      assertTrue(failure.getMessage().contains("no answer from " + broker.config().address() + " within 50 ms"));
      assertEquals(Reason.NO_ANSWER, failure(second).reason());
    }
  }

  /** The timeout of HELLO, which is longer than this test may take, must not be the one that counts. */
  private static ClientConfig quick(ClientConfig config) {
    return config.withConnectTimeout(Duration.ofMinutes(1)).withRequestTimeout(SHORT);
  }

  @Test
  void everyErrorCodeIsToldWithItsNameAndWhetherToRetry() throws IOException {
    List<Integer> codes = new ArrayList<>(Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList());
    int unknownCode = Collections.max(codes) + 1;
    codes.add(unknownCode);
    Iterator<Integer> next = codes.iterator();
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO, (request, peer) -> peer.send(new ErrorReply(next.next(), "because")));
        KakaClient client = KakaClient.connect(broker.config())) {
      for (ErrorCode code : ErrorCode.values()) {
        KakaException failure = failure(client.admin().deleteTopic("a"));

        assertTrue(failure.is(code));
        assertEquals(code + ": because", failure.getMessage());
        assertEquals(code.isRetriable(), failure.isRetriable(), code.name());
        assertFalse(failure.isMaybeStored());
      }
      KakaException unknown = failure(client.admin().deleteTopic("a"));
      assertEquals("error " + unknownCode + ": because", unknown.getMessage());
      assertTrue(unknown.errorCode().isEmpty());
      assertFalse(unknown.isRetriable());
      assertEquals(1, broker.acceptedConnections());
    }
  }

  /** The window of the connection holds for questions, too: the broker never sees more than it allowed. */
  @Test
  void questionsBeyondTheWindowWaitForCredit() throws IOException {
    List<ScriptedBroker.Peer> unanswered = new CopyOnWriteArrayList<>();
    CompletableFuture<ScriptedBroker.Peer> full = new CompletableFuture<>();
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.hello(2, 1 << 20),
                (request, peer) -> {
                  unanswered.add(peer);
                  if (unanswered.size() == 2) {
                    full.complete(peer);
                  } else if (unanswered.size() > 2) {
                    peer.send(new DeleteTopicReply());
                  }
                });
        KakaClient client = KakaClient.connect(broker.config())) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(client.admin().deleteTopic("t" + i));
      }
      ScriptedBroker.Peer peer = full.join();
      assertEquals(0, peer.unread());
      assertEquals(2, unanswered.size());

      peer.send(new DeleteTopicReply());
      peer.send(new DeleteTopicReply());

      all.forEach(KakaException::await);
      assertEquals(5, unanswered.size());
    }
  }

  @Test
  void closedClientFailsWhatIsPendingAndWhatComesLater() throws IOException {
    try (ScriptedBroker broker = ScriptedBroker.answering(ScriptedBroker.HELLO, (request, peer) -> {})) {
      KakaClient client = KakaClient.connect(broker.config());
      CompletableFuture<Void> pending = client.admin().deleteTopic("a");

      client.close();

      assertEquals(Reason.CLOSED, failure(pending).reason());
      assertEquals(Reason.CLOSED, failure(client.admin().deleteTopic("b")).reason());
      client.close();
    }
  }

  /** A callback that asks again when told of a lost connection must get a new one, not the failure of the old. */
  @Test
  void askingAgainInTheCallbackOfAFailureOpensANewConnection() throws IOException {
    try (ScriptedBroker broker =
            ScriptedBroker.answering(
                ScriptedBroker.HELLO,
                (request, peer) -> {
                  if (peer.number == 0) {
                    peer.hangUp();
                  } else {
                    peer.send(new DeleteTopicReply());
                  }
                });
        KakaClient client = KakaClient.connect(broker.config())) {
      CompletableFuture<Void> again =
          client.admin().deleteTopic("a").exceptionallyCompose(failure -> client.admin().deleteTopic("a"));

      KakaException.await(again);

      assertEquals(2, broker.acceptedConnections());
    }
  }
}
