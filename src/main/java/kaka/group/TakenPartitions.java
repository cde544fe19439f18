package kaka.group;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The partitions that some member of a group has, or has still to give up. */
final class TakenPartitions {
  private final Map<UUID, BitSet> byTopic = new HashMap<>();

  void take(EpochMember member) {
    set(member.assigned(), true);
    set(member.revoking(), true);
  }

  void release(EpochMember member) {
    set(member.assigned(), false);
    set(member.revoking(), false);
  }

  private void set(PartitionSet partitions, boolean isTaken) {
    for (UUID topic : partitions.topicIds()) {
      BitSet bits = byTopic.computeIfAbsent(topic, id -> new BitSet());
      for (int partition : partitions.of(topic)) {
        bits.set(partition, isTaken);
      }
      if (bits.isEmpty()) {
        byTopic.remove(topic);
      }
    }
  }

  boolean isFree(UUID topic, int partition) {
    BitSet bits = byTopic.get(topic);
    return bits == null || !bits.get(partition);
  }
}
