package kaka.group;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Offsets that are part of open transactions, by producer. One writer, the coordinator; anybody may look. */
final class PendingOffsets {
  private record Key(String group, TopicIdPartition partition) {}

  private final Map<Long, Map<Key, StoredOffset>> byProducer = new ConcurrentHashMap<>();
  private long sizeBytes; // the writer's

  boolean contains(String group, TopicIdPartition partition) {
    Key key = new Key(group, partition);
    return byProducer.values().stream().anyMatch(offsets -> offsets.containsKey(key));
  }

  void add(GroupEvent.OffsetPending pending) {
    Key key = new Key(pending.group(), pending.partition());
    StoredOffset before =
        byProducer.computeIfAbsent(pending.producerId(), id -> new ConcurrentHashMap<>()).put(key, pending.stored());
    sizeBytes += before == null ? costOf(key, pending.stored()) : costOf(key, pending.stored()) - costOf(key, before);
  }

  void remove(long producerId) {
    removeIf(byProducer.get(producerId), key -> true);
    byProducer.remove(producerId);
  }

  void removeGroup(String group) {
    byProducer.values().forEach(offsets -> removeIf(offsets, key -> key.group().equals(group)));
  }

  void removeTopic(UUID topicId) {
    byProducer.values().forEach(offsets -> removeIf(offsets, key -> key.partition().topicId().equals(topicId)));
  }

  private void removeIf(Map<Key, StoredOffset> offsets, Predicate<Key> condition) {
    if (offsets == null) {
      return;
    }
    for (Iterator<Map.Entry<Key, StoredOffset>> each = offsets.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<Key, StoredOffset> entry = each.next();
      if (condition.test(entry.getKey())) {
        sizeBytes -= costOf(entry.getKey(), entry.getValue());
        each.remove();
      }
    }
  }

  private static long costOf(Key key, StoredOffset stored) {
    return CommittedOffsets.costOf(new GroupEvent.OffsetCommitted(key.group(), key.partition(), stored));
  }

  List<GroupEvent.OffsetCommitted> of(long producerId) {
    List<GroupEvent.OffsetCommitted> all = new ArrayList<>();
    byProducer
        .getOrDefault(producerId, Map.of())
        .forEach((key, stored) -> all.add(new GroupEvent.OffsetCommitted(key.group(), key.partition(), stored)));
    return all;
  }

  Set<Long> producers() {
    return Set.copyOf(byProducer.keySet());
  }

  Set<UUID> topicIds() {
    Set<UUID> ids = new HashSet<>();
    byProducer.values().forEach(offsets -> offsets.keySet().forEach(key -> ids.add(key.partition().topicId())));
    return ids;
  }

  /** In memory, about. */
  long sizeBytes() {
    return sizeBytes;
  }

  /** As {@link CommittedOffsets.Walk}. */
  Walk walk() {
    return new Walk();
  }

  final class Walk {
    private final Iterator<Long> producers = byProducer.keySet().iterator();
    private long producerId;
    private Iterator<Key> keys = List.<Key>of().iterator();

    Optional<GroupEvent> next() {
      while (true) {
        Map<Key, StoredOffset> offsets = byProducer.getOrDefault(producerId, Map.of());
        while (keys.hasNext()) {
          Key key = keys.next();
          StoredOffset stored = offsets.get(key);
          if (stored != null) {
            return Optional.of(new GroupEvent.OffsetPending(producerId, key.group(), key.partition(), stored));
          }
        }
        if (!producers.hasNext()) {
          return Optional.empty();
        }
        producerId = producers.next();
        keys = byProducer.getOrDefault(producerId, Map.of()).keySet().iterator();
      }
    }
  }
}
