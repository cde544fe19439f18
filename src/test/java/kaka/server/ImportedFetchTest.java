package kaka.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import kaka.config.KakaConfig;
import kaka.log.KafkaPartition;
import kaka.log.KafkaPartitions;
import kaka.log.LogSnapshot;
import kaka.log.MemoryDisk;
import kaka.log.PartitionImport;
import kaka.log.PartitionLog;
import kaka.protocol.Fetch;
import kaka.protocol.Records;
import kaka.protocol.Responses;
import kaka.record.Allowance;
import kaka.record.Record;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** A native fetch from what Apache Kafka wrote: records of every codec, past transaction markers. */
class ImportedFetchTest {
  private static final UUID ID = new UUID(1, 2);

  @Test
  void everyCommittedRecordComesAndNoMarker() throws Exception {
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      assertFetched(codec + "-0", KafkaPartitions.ofCodec());
    }
    assertFetched("txn-0", KafkaPartitions.ofCommittedTxn());
  }

  private static void assertFetched(String name, List<Record> expected) throws Exception {
    MemoryDisk disk = new MemoryDisk();
    Path partition = Path.of("orders-0");
    KafkaPartitions.copy(name, disk, Path.of("kafka"));
    PartitionImport.copy(disk, KafkaPartition.open(disk, Path.of("kafka")), partition, ID, 4096, bytes -> {});
    try (PartitionLog log = PartitionLog.open(disk, partition, ID, KakaConfig.parse("").log(), Clock.systemUTC())) {
      List<Records.Entry> got = new ArrayList<>();
      LogSnapshot snapshot = log.snapshot();
      for (long next = 0; next < snapshot.highWatermark(); ) {
        Records answer = fetch(snapshot, next);
        got.addAll(answer.entries());
        next = answer.entries().isEmpty() ? snapshot.highWatermark() : got.get(got.size() - 1).offset() + 1;
      }
      assertEquals(expected.stream().map(Record::offset).toList(), got.stream().map(Records.Entry::offset).toList(), name);
      for (int i = 0; i < got.size(); i++) {
        assertArrayEquals(expected.get(i).key(), got.get(i).key());
        assertArrayEquals(expected.get(i).value(), got.get(i).value());
      }
    }
  }

  private static Records fetch(LogSnapshot snapshot, long offset) throws Exception {
    Fetch fetch = new Fetch(new TopicPartition("orders", 0), offset, 500, 0, 0);
    try (RecordsSource source = new RecordsSource(snapshot, fetch, offset, 500, Allowance.UNLIMITED, Requesting.runBuffers())) {
      byte[] frame = Requesting.bytes(source.next(256 << 10).orElseThrow());
      return (Records) Responses.decode(frame[4] & 0xff, frame, 5, frame.length);
    }
  }
}
