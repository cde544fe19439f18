package kaka.bench;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import kaka.client.Admin;
import kaka.client.KakaException;
import kaka.client.TopicDescription;
import kaka.protocol.ErrorCode;
import kaka.record.TopicPartition;

/** The topic of a run: one of its own, which goes with it, or one that was named. */
final class BenchTopic {
  /** A broker that deletes by default must not take what is to be read back. */
  private static final Map<String, String> KEEPS_ALL = Map.of("retention.bytes", "-1", "retention.ms", "-1");

  private final Admin admin;
  private final String name;
  private final int partitions;
  private final boolean isOwn;

  private BenchTopic(Admin admin, String name, int partitions, boolean isOwn) {
    this.admin = admin;
    this.name = name;
    this.partitions = partitions;
    this.isOwn = isOwn;
  }

  static BenchTopic open(Admin admin, BenchConfig config) {
    if (config.topic().isPresent()) {
      String name = config.topic().get();
      return new BenchTopic(admin, name, partitionsOf(admin, name, config.partitions()), false);
    }
    String name = "bench-" + config.load().label() + "-%08x".formatted(ThreadLocalRandom.current().nextInt());
    KakaException.await(admin.createTopic(name, config.partitions(), KEEPS_ALL));
    return new BenchTopic(admin, name, config.partitions(), true);
  }

  private static int partitionsOf(Admin admin, String name, int wanted) {
    try {
      return KakaException.await(admin.describeTopic(name)).partitions().size();
    } catch (KakaException e) {
      if (!e.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)) {
        throw e;
      }
      KakaException.await(admin.createTopic(name, wanted, Map.of()));
      return wanted;
    }
  }

  String name() {
    return name;
  }

  int partitions() {
    return partitions;
  }

  /** Whether nobody else uses it. */
  boolean isOwn() {
    return isOwn;
  }

  TopicPartition partition(int partition) {
    return new TopicPartition(name, partition);
  }

  long[] starts() {
    return described().stream().mapToLong(TopicDescription.Partition::logStartOffset).toArray();
  }

  long[] ends() {
    return described().stream().mapToLong(TopicDescription.Partition::highWatermark).toArray();
  }

  private List<TopicDescription.Partition> described() {
    return KakaException.await(admin.describeTopic(name)).partitions();
  }

  void delete() {
    KakaException.await(admin.deleteTopic(name));
  }
}
