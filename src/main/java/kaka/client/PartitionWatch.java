package kaka.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/** Asks from time to time how many partitions a topic has, and tells of new ones. On the loop's thread. */
final class PartitionWatch {
  private final SelectorLoop loop;
  private final PartitionCounts counts;
  private final Duration interval;
  private final String topic;
  private final Consumer<List<TopicPartition>> found;
  private int knownCount;
  private boolean isOver;

  /** @param knownCount those from this number on are new */
  PartitionWatch(
      SelectorLoop loop,
      PartitionCounts counts,
      Duration interval,
      String topic,
      int knownCount,
      Consumer<List<TopicPartition>> found) {
    this.loop = loop;
    this.counts = counts;
    this.interval = interval;
    this.topic = topic;
    this.knownCount = knownCount;
    this.found = found;
  }

  void start() {
    loop.schedule(interval, this::ask);
  }

  /** Tells nothing any more. */
  void stop() {
    isOver = true;
  }

  private void ask() {
    if (!isOver) {
      counts.current(topic).whenComplete((count, failure) -> answered(failure == null ? count : 0));
    }
  }

  /** @param count 0 where the broker did not say: the next answer will */
  private void answered(int count) {
    if (isOver) {
      return;
    }
    List<TopicPartition> more = new ArrayList<>();
    for (; knownCount < count; knownCount++) {
      more.add(new TopicPartition(topic, knownCount));
    }
    if (!more.isEmpty()) {
      found.accept(more);
    }
    start();
  }
}
