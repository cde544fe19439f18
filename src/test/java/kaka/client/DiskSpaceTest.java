package kaka.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.ErrorCode;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A producer whose broker's disk is nearly full. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DiskSpaceTest {
  private static final ProducerRecord RECORD = ProducerRecord.of(new TopicPartition("t", 0), null, new byte[9 << 20]);

  @Test
  void producerGoesOnByItselfWhenSpaceReturns() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    ProducerConfig config = ProducerConfig.defaults().withDeliveryTimeout(Duration.ofMillis(500));
    try (TestBroker broker = TestBroker.start("", disk);
        KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()))) {
      KakaException.await(client.admin().createTopic("t", 1, Map.of()));
      disk.setUsableBytes(1 << 20);
      try (Producer producer = client.producer(config)) {
        KakaException failure = null;
        for (int i = 0; i < 2 && failure == null; i++) { // the broker looks at the disk every 8 MiB
          failure = producer.send(RECORD).handle((stored, refused) -> refused == null ? null : KakaException.of(refused)).join();
        }

        assertTrue(failure.is(ErrorCode.STORAGE), failure.getMessage());
        assertTrue(failure.getMessage().contains("not accepted within 500 ms"), failure.getMessage());
        assertTrue(failure.isRetriable());
        assertFalse(failure.isMaybeStored());
      }

      try (Producer patient = client.producer(ProducerConfig.defaults())) {
        disk.setUsableBytes(1L << 40);
        KakaException.await(patient.send(RECORD)); // refused until the broker looks again
        assertEquals(1, patient.ackedRecords());
      }
    }
  }

  @Test
  void failedDiskFailsTheRecordAtOnce() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker broker = TestBroker.start("", disk);
        KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()));
        Producer producer = client.producer(ProducerConfig.defaults())) {
      KakaException.await(client.admin().createTopic("t", 1, Map.of()));
      disk.failNext(FaultyDisk.Operation.SYNC, "t-0/00000000000000000000.log");

      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(producer.send(RECORD)));

      assertTrue(failure.is(ErrorCode.STORAGE));
      assertFalse(failure.isRetriable());
    }
  }
}
