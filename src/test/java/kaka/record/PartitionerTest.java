package kaka.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PartitionerTest {
  /** The values are those of Kafka's own tests of its hash, so that a key has the same partition through both doors. */
  @Test
  void hashIsKafkasMurmur2() {
    Map<String, Integer> known =
        Map.of(
            "21", -973932308,
            "foobar", -790332482,
            "a-little-bit-long-string", -985981536,
            "a-little-bit-longer-string", -1486304829,
            "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971,
            "abc", 479470107);

    known.forEach((key, hash) -> assertEquals(hash, Partitioner.murmur2(key.getBytes(UTF_8)), key));
  }

  @Test
  void negativeHashGivesPartitionInRange() {
    assertEquals((-973932308 & 0x7fffffff) % 7, Partitioner.partitionOf("21".getBytes(UTF_8), 7));
  }

  @Test
  void emptyKeyHasAPartition() {
    assertEquals((275646681 & 0x7fffffff) % 3, Partitioner.partitionOf(new byte[0], 3));
  }
}
