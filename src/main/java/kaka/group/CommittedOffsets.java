package kaka.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import kaka.log.LiveEvents;

/**
 * Everything of groups that is durable, as the events in the log have made it. One writer, the coordinator, which applies an
 * event when it is on disk; anybody may read, without waiting.
 */
public final class CommittedOffsets implements LiveEvents<GroupEvent> {
  /** What an entry takes besides its texts, about. */
  private static final int OFFSET_BYTES = 160;

  private static final int GROUP_BYTES = 400;

  private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();
  private final PendingOffsets pending = new PendingOffsets();
  private long sizeBytes; // the writer's
  private int offsetCount; // the writer's

  private static final class Group {
    final ConcurrentHashMap<TopicIdPartition, StoredOffset> offsets = new ConcurrentHashMap<>(4);
    final ConcurrentHashMap<String, EpochMember> members = new ConcurrentHashMap<>(4); // of an EpochGroup, by id
    volatile Optional<GroupEvent.GroupChanged> changed = Optional.empty();
  }

  // ---------------------------------------------------------------- for anybody

  public Optional<StoredOffset> find(String group, TopicIdPartition partition) {
    Group found = groups.get(group);
    return found == null ? Optional.empty() : Optional.ofNullable(found.offsets.get(partition));
  }

  /** All of a group's offsets. */
  public Map<TopicIdPartition, StoredOffset> of(String group) {
    Group found = groups.get(group);
    return found == null ? Map.of() : new HashMap<>(found.offsets);
  }

  /** How many offsets the group has, about, while they change. */
  public int countOf(String group) {
    Group found = groups.get(group);
    return found == null ? 0 : found.offsets.size();
  }

  /** What the metadata of the group's offsets takes, about. */
  public long metadataBytesOf(String group) {
    Group found = groups.get(group);
    return found == null ? 0 : found.offsets.values().stream().mapToLong(stored -> 6L * stored.metadata().length()).sum();
  }

  /** Whether a transaction is open that may give the group another offset there. */
  public boolean isPending(String group, TopicIdPartition partition) {
    return pending.contains(group, partition);
  }

  /** Of which type the group is. */
  public GroupType type(String group) {
    return changed(group).map(GroupEvent.GroupChanged::type).orElse(GroupType.CLASSIC);
  }

  /** A member of an {@link EpochGroup}, as it has been told to be. */
  public Optional<EpochMember> member(String group, String memberId) {
    Group found = groups.get(group);
    return found == null ? Optional.empty() : Optional.ofNullable(found.members.get(memberId));
  }

  // ---------------------------------------------------------------- for the coordinator

  /** Of an {@link EpochGroup}. */
  Collection<EpochMember> members(String group) {
    Group found = groups.get(group);
    return found == null ? List.of() : List.copyOf(found.members.values());
  }

  /** What the producer's transaction would commit. */
  List<GroupEvent.OffsetCommitted> pending(long producerId) {
    return pending.of(producerId);
  }

  /** Those of which offsets are pending. */
  Set<Long> pendingProducers() {
    return pending.producers();
  }

  /** What an event adds to the memory at most. */
  static long costOf(GroupEvent event) {
    if (event instanceof GroupEvent.OffsetCommitted committed) {
      return OFFSET_BYTES + 2L * committed.stored().metadata().length() + GROUP_BYTES + 2L * committed.group().length();
    }
    if (event instanceof GroupEvent.OffsetPending open) {
      return costOf(new GroupEvent.OffsetCommitted(open.group(), open.partition(), open.stored()));
    }
    if (event instanceof GroupEvent.MemberChanged changed) {
      return changed.member().sizeBytes() + GROUP_BYTES + 2L * changed.group().length();
    }
    return event instanceof GroupEvent.GroupChanged changed ? GROUP_BYTES + 2L * changed.group().length() : 0;
  }

  private static long costOf(StoredOffset stored) {
    return OFFSET_BYTES + 2L * stored.metadata().length();
  }

  void apply(GroupEvent event) {
    if (event instanceof GroupEvent.OffsetCommitted committed) {
      StoredOffset before = groupOf(committed.group()).offsets.put(committed.partition(), committed.stored());
      count(before, -1);
      count(committed.stored(), 1);
    } else if (event instanceof GroupEvent.OffsetRemoved removed) {
      Group group = groups.get(removed.group());
      if (group != null) {
        count(group.offsets.remove(removed.partition()), -1);
        dropIfNothing(removed.group(), group);
      }
    } else if (event instanceof GroupEvent.GroupChanged changed) {
      groupOf(changed.group()).changed = Optional.of(changed);
    } else if (event instanceof GroupEvent.MemberChanged changed) {
      count(groupOf(changed.group()).members.put(changed.member().id(), changed.member()), -1);
      count(changed.member(), 1);
    } else if (event instanceof GroupEvent.MemberRemoved removed) {
      Group group = groups.get(removed.group());
      if (group != null) {
        count(group.members.remove(removed.memberId()), -1);
        dropIfNothing(removed.group(), group);
      }
    } else if (event instanceof GroupEvent.GroupRemoved removed) {
      Group group = groups.get(removed.group());
      if (group != null) {
        group.members.values().forEach(member -> count(member, -1));
        group.offsets.values().forEach(stored -> count(stored, -1));
        drop(removed.group());
      }
      pending.removeGroup(removed.group());
    } else if (event instanceof GroupEvent.TopicRemoved removed) {
      groups.forEach((name, group) -> removeTopic(name, group, removed.topicId()));
      pending.removeTopic(removed.topicId());
    } else if (event instanceof GroupEvent.OffsetPending open) {
      pending.add(open);
    } else if (event instanceof GroupEvent.TransactionEnded ended) {
      ended.committed().forEach(this::apply); // first: nobody finds neither
      pending.remove(ended.producerId());
    }
  }

  private void removeTopic(String name, Group group, UUID topicId) {
    for (Iterator<Map.Entry<TopicIdPartition, StoredOffset>> each = group.offsets.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<TopicIdPartition, StoredOffset> entry = each.next();
      if (entry.getKey().topicId().equals(topicId)) {
        each.remove();
        count(entry.getValue(), -1);
      }
    }
    dropIfNothing(name, group);
  }

  private Group groupOf(String name) {
    Group group = groups.get(name);
    if (group == null) {
      group = new Group();
      groups.put(name, group);
      sizeBytes += GROUP_BYTES + 2L * name.length();
    }
    return group;
  }

  private void dropIfNothing(String name, Group group) {
    if (group.offsets.isEmpty() && group.members.isEmpty() && group.changed.isEmpty()) {
      drop(name);
    }
  }

  private void drop(String name) {
    groups.remove(name);
    sizeBytes -= GROUP_BYTES + 2L * name.length();
  }

  private void count(StoredOffset stored, int sign) {
    if (stored != null) {
      sizeBytes += sign * costOf(stored);
      offsetCount += sign;
    }
  }

  private void count(EpochMember member, int sign) {
    sizeBytes += member == null ? 0 : sign * member.sizeBytes();
  }

  /** In memory, about. */
  @Override
  public long sizeBytes() {
    return sizeBytes + pending.sizeBytes();
  }

  int offsetCount() {
    return offsetCount;
  }

  int groupCount() {
    return groups.size();
  }

  boolean contains(String group) {
    return groups.containsKey(group);
  }

  Optional<GroupEvent.GroupChanged> changed(String group) {
    Group found = groups.get(group);
    return found == null ? Optional.empty() : found.changed;
  }

  /** Empty for a group that only ever committed. */
  String protocolType(String group) {
    return changed(group).map(GroupEvent.GroupChanged::protocolType).orElse("");
  }

  int generation(String group) {
    return changed(group).map(GroupEvent.GroupChanged::generation).orElse(0);
  }

  /** Of all groups that have offsets, or had members. */
  public Set<String> names() {
    return new TreeSet<>(groups.keySet());
  }

  Set<UUID> topicIds() {
    Set<UUID> ids = new java.util.HashSet<>(pending.topicIds());
    groups.values().forEach(group -> group.offsets.keySet().forEach(partition -> ids.add(partition.topicId())));
    return ids;
  }

  @Override
  public LiveEvents.Walk<GroupEvent> walk() {
    return new Walk();
  }

  private final class Walk implements LiveEvents.Walk<GroupEvent> {
    private final Iterator<String> names = groups.keySet().iterator();
    private String name = "";
    private final PendingOffsets.Walk pendings = pending.walk();
    private Iterator<String> memberIds = List.<String>of().iterator();
    private Iterator<TopicIdPartition> partitions = List.<TopicIdPartition>of().iterator();

    @Override
    public Optional<GroupEvent> next() {
      while (true) {
        while (partitions.hasNext()) { // a look-up, since an iterator gives what was there when it stepped ahead
          TopicIdPartition partition = partitions.next();
          Optional<StoredOffset> stored = find(name, partition);
          if (stored.isPresent()) {
            return Optional.of(new GroupEvent.OffsetCommitted(name, partition, stored.get()));
          }
        }
        while (memberIds.hasNext()) {
          Optional<EpochMember> member = member(name, memberIds.next());
          if (member.isPresent()) {
            return Optional.of(new GroupEvent.MemberChanged(name, member.get()));
          }
        }
        if (!names.hasNext()) {
          return pendings.next();
        }
        name = names.next();
        Group group = groups.get(name);
        if (group != null) {
          partitions = group.offsets.keySet().iterator();
          memberIds = group.members.keySet().iterator();
          if (group.changed.isPresent()) {
            return group.changed.map(changed -> changed);
          }
        }
      }
    }
  }

  /** Partitions whose offset was committed at or before {@code limitMs}, at most {@code maxCount}. */
  List<TopicIdPartition> committedUpTo(String group, long limitMs, int maxCount) {
    List<TopicIdPartition> old = new ArrayList<>();
    Group found = groups.get(group);
    if (found != null) {
      found.offsets.entrySet().stream()
          .filter(entry -> entry.getValue().commitMs() <= limitMs)
          .limit(maxCount)
          .forEach(entry -> old.add(entry.getKey()));
    }
    return old;
  }
}
