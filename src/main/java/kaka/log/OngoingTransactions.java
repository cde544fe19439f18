package kaka.log;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import kaka.record.TopicPartition;

/**
 * Which partitions belong to which producer's ongoing transaction (KIP-890): a partition begins a transaction only for a producer
 * that stands here, so that a batch which arrives when its transaction is over cannot begin one that nobody will ever end. Written
 * by the owner of transactions alone, read wait-free by every partition.
 */
public final class OngoingTransactions {
  /** Stands for the offsets of groups that are committed with a transaction. */
  public static final TopicPartition OFFSETS = new TopicPartition("__offsets", 0);

  private record Ongoing(short epoch, Set<TopicPartition> partitions) {}

  private final Map<Long, Ongoing> byProducer = new ConcurrentHashMap<>();
  private volatile boolean isKnown;

  /** Whether {@link #contains} knows: not before the log of transactions was read. */
  public boolean isKnown() {
    return isKnown;
  }

  /** Everything that was ongoing has been put. */
  public void known() {
    isKnown = true;
  }

  public boolean contains(long producerId, short epoch, TopicPartition partition) {
    Ongoing ongoing = byProducer.get(producerId);
    return ongoing != null && ongoing.epoch() == epoch && ongoing.partitions().contains(partition);
  }

  /** In place of what stood here of that producer. */
  public void put(long producerId, short epoch, Collection<TopicPartition> partitions) {
    byProducer.put(producerId, new Ongoing(epoch, Set.copyOf(partitions)));
  }

  public void remove(long producerId) {
    byProducer.remove(producerId);
  }
}
