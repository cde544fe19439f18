package kaka.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import kaka.record.TopicPartition;

/** One partition's batches on their way: those that wait, and what the answers so far mean for their order. */
final class PartitionQueue {
  private final TopicPartition partition;
  private final int topicBytes;

  /** Not sent, in order; only the last may still grow. Under the accumulator's lock. */
  final ArrayDeque<PendingBatch> waiting = new ArrayDeque<>();

  /** In the accumulator's round of those with something to send. Under its lock. */
  boolean isQueued;

  /** Nothing is sent for now, because what came back has to go first. Under the accumulator's lock. */
  boolean isHeld;

  /** What the last batch took, as a guess for the next. Under the accumulator's lock. */
  int expectedBytes;

  /** Requests not answered. On the loop's thread. */
  int inFlight;

  /** Refused, or never sent by a connection that ended, in the order of sending. On the loop's thread. */
  final ArrayDeque<PendingBatch> returned = new ArrayDeque<>();

  /** Whether a batch was refused since the last ack or pause. On the loop's thread. */
  boolean isRefused;

  /** What the broker said then. On the loop's thread. */
  KakaException lastRefusal;

  /** Pauses since the last ack. On the loop's thread. */
  int pauses;

  /** In a pause, which a timer ends. On the loop's thread. */
  boolean isPaused;

  /** What {@link #isHeld} was last set to. On the loop's thread. */
  boolean isToldToHold;

  /** How often numbering was begun anew; that is added to the producer's epoch. On the loop's thread. */
  int epochsBegun;

  /** Sequence of the next record that is numbered. On the loop's thread. */
  int nextSequence;

  /** Why a numbered batch failed, so that those behind it get other numbers; null: none did. On the loop's thread. */
  KakaException numberingEndedBecause;

  /** Sequence of the first batch that failed then. On the loop's thread. */
  int renumberFrom;

  /** That batch may be stored, so its sequence must not be given to another. On the loop's thread. */
  boolean isEpochOver;

  PartitionQueue(TopicPartition partition) {
    this.partition = partition;
    this.topicBytes = partition.topic().getBytes(StandardCharsets.UTF_8).length;
  }

  TopicPartition partition() {
    return partition;
  }

  /** Bytes of the topic's name in a frame. */
  int topicBytes() {
    return topicBytes;
  }
}
