package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.partition.MemoryBudget;
import kaka.server.LogCapture;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Clients that send what no client would, and a broker without memory. */
class KafkaHostileTest {
  /** A neighbour that produces meanwhile notices nothing, nothing unexpected is logged, and nothing is held in the end. */
  @Test
  void mutatedFramesDisturbNobody() throws Exception {
    long seed = TestSeed.get();
    System.out.println("mutatedFramesDisturbNobody seed " + seed);
    try (TestBroker broker = TestBroker.start("kaka.groups.min-session-timeout = 1s\nkaka.groups.max-session-timeout = 6s\nkaka.transactions.max-timeout = 1s");
        LogCapture log = new LogCapture()) {
      AtomicBoolean done = new AtomicBoolean();
      CompletableFuture<Integer> neighbour = new CompletableFuture<>();
      new Thread(() -> produceUntil(broker, done, neighbour)).start();

      new KafkaFuzz(broker.address(), seed).run(10_000);

      done.set(true);
      assertTrue(neighbour.get(120, TimeUnit.SECONDS) > 0);
      assertEquals(List.of(), log.troubles(), "seed " + seed);
      TestBroker.awaitTrue("nothing is charged but for groups, whose transactions end by themselves", () -> deleteGroups(broker));
      broker.awaitBudgetEmpty();
    }
  }

  /** Those whose members are gone; what they have is part of the budget. Returns whether none is left. */
  private static boolean deleteGroups(TestBroker broker) {
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      List<String> names =
          socket.ask(ListGroupsResponseData.class, 3, new ListGroupsRequestData()).groups().stream()
              .map(group -> group.groupId())
              .toList();
      socket.ask(DeleteGroupsResponseData.class, 1, new DeleteGroupsRequestData().setGroupsNames(names));
      return names.isEmpty();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void produceUntil(TestBroker broker, AtomicBoolean done, CompletableFuture<Integer> count) {
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("neighbour"));
      int produced = 0;
      while (!done.get()) {
        ProduceRequestData request = KafkaRequests.produce("neighbour", 0, KafkaRequests.records("a"));
        PartitionProduceResponse answer =
            socket.ask(ProduceResponseData.class, 9, request).responses().iterator().next().partitionResponses().get(0);
        assertEquals(produced, answer.baseOffset());
        produced++;
      }
      count.complete(produced);
    } catch (IOException | RuntimeException | AssertionError e) {
      count.completeExceptionally(e);
    }
  }

  /** A count of elements that the bytes cannot have, or that nobody has, is refused before anything is made of it. */
  @Test
  void claimedCountsAreNotBelieved() throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      for (int count : new int[] {Integer.MAX_VALUE, 1_000_000, RequestReader.MAX_ELEMENTS + 1}) {
        ByteBuffer frame = ByteBuffer.allocate(4 + 8 + 6 + 4 + 2_000_000);
        frame.putInt(frame.capacity() - 4).putShort(ApiKeys.METADATA.id).putShort((short) 1).putInt(1);
        frame.putShort((short) 4).put("test".getBytes(java.nio.charset.StandardCharsets.US_ASCII)).putInt(count);
        try (KafkaSocket socket = new KafkaSocket(broker.address())) {
          socket.send(frame.array());
          assertTrue(socket.isClosedByPeer());
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** What would keep the thread that both share for a minute and more is refused; the other client waits for none of it. */
  @Test
  void collidingNamesCostTheirConnectionAndNobodyElse() throws Exception {
    ByteBuffer request =
        KafkaCollidingRequests.request(
            ApiKeys.CREATE_TOPICS, 2, "topics", 5000, KafkaCollidingRequests.texts(KafkaCollidingRequests::ofOneHash));
    try (TestBroker broker = TestBroker.start("kaka.dispatchers.sockets.threads = 1");
        LogCapture log = new LogCapture();
        KafkaSocket other = new KafkaSocket(broker.address());
        KafkaSocket hostile = new KafkaSocket(broker.address())) {
      hostile.send(KafkaCollidingRequests.framed(request).array());

      other.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("other"));
      assertTrue(hostile.isClosedByPeer());
      assertEquals(List.of(), log.troubles());
      List<String> lines = log.lines().stream().filter(line -> line.contains("kafka connection closed")).toList();
      assertEquals(1, lines.size());
      assertTrue(
          lines.get(0).contains("reason=\"CreateTopics version 2: too many elements of topics whose hashes collide\""), lines.get(0));
      other.close();
      broker.awaitBudgetEmpty();
    }
  }

  /** The log's lines about closed connections are what a client can cause without end: a few are written, the rest are counted. */
  @Test
  void aFloodOfBrokenConnectionsIsAFewLinesOfLog() throws Exception {
    ByteBuffer garbage = ByteBuffer.allocate(4 + 12);
    garbage.putInt(12).putShort((short) 255).putShort((short) 0).putInt(1).putShort((short) -1);
    try (TestBroker broker = TestBroker.start("");
        LogCapture log = new LogCapture()) {
      for (int i = 0; i < 200; i++) {
        try (KafkaSocket socket = new KafkaSocket(broker.address())) {
          socket.send(garbage.array());
          assertTrue(socket.isClosedByPeer());
        }
      }

      List<String> lines = log.lines().stream().filter(line -> line.contains("kafka connection closed")).toList();
      assertTrue(lines.size() >= 1, log.lines().toString());
      assertTrue(lines.size() < 50, lines.size() + " lines"); // one in ten seconds
      assertTrue(lines.get(0).endsWith("others_untold=0"), lines.get(0));
    }
  }

  /** A request of a megabyte that becomes a hundred of objects: it is charged as it grows, and given up where the budget ends. */
  @Test
  void whatARequestBecomesIsCharged() {
    ByteBuffer request = ByteBuffer.allocate(4 + 3 * 60_000);
    request.putInt(60_000);
    for (int i = 0; i < 60_000; i++) {
      request.putShort((short) 1).put((byte) 'a');
    }
    request.flip();
    MemoryBudget enough = new MemoryBudget(100 << 20);
    RequestReader reader = new RequestReader(request.duplicate(), enough);
    new MetadataRequestData().read(reader, (short) 1);

    assertEquals(enough.usedBytes(), reader.chargedBytes());
    assertTrue(reader.chargedBytes() > 60_000 * 100, reader.chargedBytes() + " bytes for 60,000 topics");
    MemoryBudget scarce = new MemoryBudget(1 << 20);
    RequestReader stopped = new RequestReader(request.duplicate(), scarce);
    assertThrows(RequestReader.NoMemoryException.class, () -> new MetadataRequestData().read(stopped, (short) 1));
    assertEquals(scarce.usedBytes(), stopped.chargedBytes());
  }

  @Test
  void smallRequestsAreNotCharged() {
    MemoryBudget memory = new MemoryBudget(1);
    byte[] frame = KafkaSocket.frame(ApiKeys.METADATA, 1, 1, KafkaRequests.metadata("a"));

    new MetadataRequestData().read(new RequestReader(ByteBuffer.wrap(frame, 18, frame.length - 18).slice(), memory), (short) 1);

    assertEquals(0, memory.usedBytes());
  }

  /** The settings of each topic that is answered are some KiB, and charged before they are made. */
  @Test
  void settingsOfCreatedTopicsAreCharged() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 1MiB");
        KafkaSocket few = new KafkaSocket(broker.address());
        KafkaSocket many = new KafkaSocket(broker.address())) {
      assertEquals(50, few.ask(CreateTopicsResponseData.class, 7, wouldCreate(50)).topics().size());
      broker.awaitBudgetEmpty();

      many.send(ApiKeys.CREATE_TOPICS, 7, wouldCreate(400));
      assertTrue(many.isClosedByPeer());
      broker.awaitBudgetEmpty();
      assertEquals(400, few.ask(CreateTopicsResponseData.class, 4, wouldCreate(400)).topics().size());
    }
  }

  private static CreateTopicsRequestData wouldCreate(int count) {
    CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(true);
    for (int i = 0; i < count; i++) {
      request.topics().add(new CreatableTopic().setName("t" + i).setNumPartitions(1).setReplicationFactor((short) 1));
    }
    return request;
  }

  /** Retriable for a producer; for a consumer there is nothing now, and it is told to wait; both go on when there is memory again. */
  @Test
  void withoutMemoryClientsAreToldToTryAgain() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 1MiB");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("scarce"));
      String value = "v".repeat(1000);
      ProduceRequestData request = KafkaRequests.produce("scarce", 0, KafkaRequests.records(value, value));
      assertEquals(Errors.NONE, produced(socket, request));
      long all = broker.memory().maxBytes() - broker.memory().usedBytes();
      assertTrue(broker.memory().tryReserve(all));

      assertEquals(KafkaErrors.NO_ROOM, produced(socket, request));
      FetchResponseData nothing = socket.ask(FetchResponseData.class, 12, KafkaRequests.fetch("scarce", 0, 0));
      assertEquals(0, nothing.responses().get(0).partitions().get(0).errorCode());
      assertEquals(0, nothing.responses().get(0).partitions().get(0).records().sizeInBytes());
      assertTrue(nothing.throttleTimeMs() > 0);

      broker.memory().release(all);
      assertEquals(Errors.NONE, produced(socket, request));
      assertNotNull(KafkaFetchTest.records(socket, "scarce", 0, 2));
    }
  }

  private static Errors produced(KafkaSocket socket, ProduceRequestData request) throws IOException {
    ProduceResponseData response = socket.ask(ProduceResponseData.class, 9, request);
    return Errors.forCode(response.responses().iterator().next().partitionResponses().get(0).errorCode());
  }

  /** A frame as long as it may be that has nothing in it costs its connection, and nothing else. */
  @Test
  void frameLongerThanItMayBeEndsTheConnection() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.max-frame-bytes = 1KiB");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      int id = socket.send(ApiKeys.METADATA, 1, new MetadataRequestData());
      socket.send(new byte[] {0, 0, 8, 0, 0, 3, 0, 1});

      assertNotNull(socket.receive(ApiKeys.METADATA, 1, id));
      assertTrue(socket.isClosedByPeer());
    }
  }
}
