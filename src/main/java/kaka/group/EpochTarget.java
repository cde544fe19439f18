package kaka.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** What every member of an {@link EpochGroup} is to have, and the topics that this rests on. Not durable: it follows from what is. */
final class EpochTarget {
  /** By the names that Kafka's broker has for them: the first is the default. */
  private static final Map<String, Assignor> ASSIGNORS = new LinkedHashMap<>();

  private static final String DEFAULT = "uniform";

  static {
    ASSIGNORS.put(DEFAULT, Assignor.STICKY);
    ASSIGNORS.put("range", Assignor.RANGE);
  }

  private Map<String, PartitionSet> shares = new HashMap<>();
  private Map<String, Optional<Topics.Shape>> restsOn = Map.of();

  static boolean isAssignor(String name) {
    return ASSIGNORS.containsKey(name);
  }

  /** The one that most members prefer; among equals the default. */
  static String assignor(Collection<EpochMember> members) {
    Map<String, Integer> votes = new HashMap<>();
    members.forEach(member -> votes.merge(member.subscription().assignor().orElse(DEFAULT), 1, Integer::sum));
    String best = DEFAULT;
    for (String name : ASSIGNORS.keySet()) {
      if (votes.getOrDefault(name, 0) > votes.getOrDefault(best, 0)) {
        best = name;
      }
    }
    return best;
  }

  PartitionSet of(String memberId) {
    return shares.getOrDefault(memberId, PartitionSet.NONE);
  }

  /** Shares out anew; members keep what they were to have, or have, as far as the assignor heeds that. */
  void assign(Collection<EpochMember> members, GroupContext shared) {
    Topics topics = shared.topics();
    List<Assignor.Wanting> wanting = new ArrayList<>();
    List<EpochMember> inOrder = new ArrayList<>(members);
    inOrder.sort(Comparator.comparing(member -> member.instanceId().orElse(member.id())));
    for (EpochMember member : inOrder) {
      PartitionSet previous = shares.getOrDefault(member.id(), member.assigned());
      wanting.add(new Assignor.Wanting(member.id(), wanted(member, shared), byName(previous, topics)));
    }
    restsOn = shapes(members, shared);
    Map<String, PartitionSet> now = new HashMap<>();
    ASSIGNORS.get(assignor(members)).assign(wanting, topics).forEach((id, share) -> now.put(id, byId(share, topics)));
    shares = now;
  }

  private static PartitionSet byId(Map<String, List<Integer>> share, Topics topics) {
    Map<UUID, List<Integer>> byId = new HashMap<>();
    share.forEach((topic, partitions) -> topics.find(topic).ifPresent(shape -> byId.put(shape.id(), partitions)));
    return PartitionSet.of(byId);
  }

  /** Of topics that exist. */
  static TreeMap<String, List<Integer>> byName(PartitionSet partitions, Topics topics) {
    TreeMap<String, List<Integer>> byName = new TreeMap<>();
    for (UUID id : partitions.topicIds()) {
      topics.nameOf(id).ifPresent(name -> byName.put(name, java.util.Arrays.stream(partitions.of(id)).boxed().toList()));
    }
    return byName;
  }

  /** The topics that a member wants, whether they exist or not. */
  static List<String> wanted(EpochMember member, GroupContext shared) {
    TreeSet<String> wanted = new TreeSet<>(member.subscription().topics());
    member.subscription().pattern().ifPresent(pattern -> wanted.addAll(shared.patterns().matching(pattern)));
    return List.copyOf(wanted);
  }

  private static Map<String, Optional<Topics.Shape>> shapes(Collection<EpochMember> members, GroupContext shared) {
    Map<String, Optional<Topics.Shape>> shapes = new HashMap<>();
    for (EpochMember member : members) {
      for (String topic : wanted(member, shared)) {
        shapes.computeIfAbsent(topic, shared.topics()::find);
      }
    }
    return shapes;
  }

  /** Whether members want other topics by now, or any of those is another or has other partitions. */
  boolean isOutdated(Collection<EpochMember> members, GroupContext shared) {
    return !shapes(members, shared).equals(restsOn);
  }

  /** Another member is to have what {@code oldId} was to. */
  void rename(String oldId, String newId) {
    PartitionSet share = shares.remove(oldId);
    if (share != null) {
      shares.put(newId, share);
    }
  }

  /** Everybody is to have just what they have. */
  void freeze(Collection<EpochMember> members) {
    shares = new HashMap<>();
    members.forEach(member -> shares.put(member.id(), member.assigned()));
  }

  /** In memory, about. */
  long sizeBytes() {
    long bytes = 100L * restsOn.size();
    for (PartitionSet share : shares.values()) {
      bytes += 100 + share.sizeBytes();
    }
    return bytes;
  }
}
