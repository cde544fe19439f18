package kaka.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaka.client.ConsumedRecord;
import kaka.client.GroupConsumer;
import kaka.client.GroupConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.record.TopicPartition;

/** Prints what a member of a group has to read. Only what was written out is committed, so that nothing is left out. */
final class GroupReading implements GroupConsumer.Listener {
  private static final Duration IDLE = Duration.ofSeconds(1);

  /** How much can be printed twice, in time, if this process is killed. */
  private static final long COMMIT_INTERVAL_NS = 1_000_000_000;

  private final Streams streams;
  private final RecordPrinter printer;
  private final boolean isFollowing;
  private final long max;
  private final Map<TopicPartition, Long> ends = new HashMap<>(); // of this member's share, as they were when it came
  private final Map<TopicPartition, Long> printed = new HashMap<>(); // one past the last record that was printed
  private KakaClient client;
  private GroupConsumer consumer;
  private boolean isAssigned;
  private boolean isComplaintDue = true;
  private long committedNs;
  private IOException unwritable;
  private volatile boolean isStopping;

  GroupReading(Streams streams, RecordPrinter printer, boolean isFollowing, long max) {
    this.streams = streams;
    this.printer = printer;
    this.isFollowing = isFollowing;
    this.max = max;
  }

  void run(KakaClient client, GroupConsumerConfig config) throws IOException {
    this.client = client;
    try (GroupConsumer member = client.groupConsumer(config, this)) {
      consumer = member;
      committedNs = System.nanoTime();
      streams.onStopSignal().accept(this::stop);
      while (!isDone()) {
        step();
      }
      commit();
    }
  }

  private void stop() {
    isStopping = true;
    consumer.stop();
  }

  private boolean isDone() {
    return isStopping || printer.records() >= max || !isFollowing && isAssigned && ends.entrySet().stream().allMatch(this::isAtEnd);
  }

  private boolean isAtEnd(Map.Entry<TopicPartition, Long> end) {
    return consumer.position(end.getKey()).orElse(-1) >= end.getValue();
  }

  private void step() throws IOException {
    try {
      if (System.nanoTime() - committedNs > COMMIT_INTERVAL_NS) {
        commit();
      }
      List<ConsumedRecord> records = consumer.poll(Duration.ZERO);
      if (records.isEmpty()) { // time to write out, and to commit, what there was
        commit();
        records = consumer.poll(IDLE);
      }
      isComplaintDue |= !records.isEmpty();
      print(records);
    } catch (KakaException e) {
      if (isStopping) {
        return;
      }
      if (!e.isRetriable()) {
        throw e;
      }
      complain(e);
    }
    if (unwritable != null) {
      throw unwritable;
    }
  }

  private void print(List<ConsumedRecord> records) throws IOException {
    for (ConsumedRecord record : records) {
      if (printer.records() >= max) {
        return;
      }
      if (isFollowing || record.offset() < ends.get(record.topicPartition())) {
        printer.print(record);
        printed.put(record.topicPartition(), record.offset() + 1);
      }
    }
  }

  private void complain(KakaException e) throws IOException {
    printer.flush();
    if (isComplaintDue) {
      streams.complain(e.getMessage() + "; going on when the broker is back");
      isComplaintDue = false;
    }
  }

  private void commit() throws IOException {
    printer.flush();
    consumer.commit(printed); // false: others have the partitions, and print again what was not committed
    committedNs = System.nanoTime();
  }

  @Override
  public void onRevoked() {
    try {
      commit();
    } catch (IOException e) {
      unwritable = e; // and nothing is committed
    }
    isAssigned = false;
  }

  @Override
  public void onAssigned(Map<TopicPartition, Long> starts) {
    printed.clear();
    ends.clear();
    if (!isFollowing) {
      starts.keySet().forEach(each -> ends.put(each, KakaException.await(client.admin().latestOffset(each))));
    }
    isAssigned = true;
  }
}
