package kaka.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How the coordinator shares out partitions, by Kafka's names for the same rules. A partition goes to exactly one of the members
 * that want its topic; which one depends on nothing but the arguments.
 */
public enum Assignor {
  /** Topic by topic, neighbouring partitions to neighbouring members: partition 3 of two topics goes to the same one. */
  RANGE("range") {
    @Override
    void assign(Shares shares) {
      shares.partitionCounts.forEach(
          (topic, partitionCount) -> {
            List<String> wanting = shares.wanting(topic);
            for (int i = 0, next = 0; i < wanting.size(); i++) {
              int count = partitionCount / wanting.size() + (i < partitionCount % wanting.size() ? 1 : 0);
              for (int end = next + count; next < end; next++) {
                shares.give(wanting.get(i), topic, next);
              }
            }
          });
    }
  },
  /** All partitions of all topics in turn: shares differ by one at most where everybody wants the same. */
  ROUND_ROBIN("roundrobin") {
    @Override
    void assign(Shares shares) {
      List<String> members = List.copyOf(shares.topicsOf.keySet());
      int turn = 0;
      for (Map.Entry<String, Integer> topic : shares.partitionCounts.entrySet()) {
        for (int partition = 0; partition < topic.getValue(); partition++) {
          while (!shares.topicsOf.get(members.get(turn % members.size())).contains(topic.getKey())) {
            turn++; // somebody wants it
          }
          shares.give(members.get(turn++ % members.size()), topic.getKey(), partition);
        }
      }
    }
  },
  /** As even as can be; within that, everybody keeps what they had. */
  STICKY("sticky") {
    @Override
    void assign(Shares shares) {
      shares.keepPrevious();
      shares.giveRestToLeastLoaded();
      shares.balance();
    }
  };

  private final String text;

  Assignor(String text) {
    this.text = text;
  }

  /** As members name it among their protocols. */
  public String text() {
    return text;
  }

  public static Optional<Assignor> of(String text) {
    for (Assignor assignor : values()) {
      if (assignor.text.equals(text)) {
        return Optional.of(assignor);
      }
    }
    return Optional.empty();
  }

  abstract void assign(Shares shares);

  /** @param previous what it had in the generation before */
  record Wanting(String memberId, List<String> topics, Map<String, List<Integer>> previous) {}

  /**
   * @param members in the order in which they come first
   * @param topics those of them that do not exist have no partitions
   * @return for every member its partitions by topic
   */
  Map<String, TreeMap<String, List<Integer>>> assign(List<Wanting> members, Topics topics) {
    Shares shares = new Shares(members, topics);
    assign(shares);
    return shares.byMember();
  }

  private record Part(String topic, int partition) {}

  /** Who has what, while it is being shared out. */
  static final class Shares {
    private static final Comparator<Part> ORDER = Comparator.comparing(Part::topic).thenComparing(Part::partition);

    private final Map<String, Set<String>> topicsOf = new LinkedHashMap<>();
    private final Map<String, Map<String, List<Integer>>> previous = new HashMap<>();
    private final TreeMap<String, Integer> partitionCounts = new TreeMap<>(); // of topics that somebody wants
    private final Map<String, TreeSet<Part>> partsOf = new LinkedHashMap<>();
    private final Set<Part> given = new HashSet<>();

    private Shares(List<Wanting> members, Topics topics) {
      for (Wanting member : members) {
        topicsOf.put(member.memberId(), Set.copyOf(member.topics()));
        previous.put(member.memberId(), member.previous());
        partsOf.put(member.memberId(), new TreeSet<>(ORDER));
        for (String topic : member.topics()) {
          topics.find(topic).ifPresent(shape -> partitionCounts.put(topic, shape.partitionCount()));
        }
      }
    }

    private List<String> wanting(String topic) {
      return topicsOf.keySet().stream().filter(member -> topicsOf.get(member).contains(topic)).toList();
    }

    private void give(String member, String topic, int partition) {
      Part part = new Part(topic, partition);
      partsOf.get(member).add(part);
      given.add(part);
    }

    private void keepPrevious() {
      previous.forEach(
          (member, had) ->
              had.forEach(
                  (topic, partitions) -> {
                    for (int partition : partitions) {
                      boolean exists = partition >= 0 && partition < partitionCounts.getOrDefault(topic, 0);
                      if (exists && topicsOf.get(member).contains(topic) && !given.contains(new Part(topic, partition))) {
                        give(member, topic, partition);
                      }
                    }
                  }));
    }

    private void giveRestToLeastLoaded() {
      partitionCounts.forEach(
          (topic, partitionCount) -> {
            for (int partition = 0; partition < partitionCount; partition++) {
              if (!given.contains(new Part(topic, partition))) {
                give(leastLoaded(topic), topic, partition);
              }
            }
          });
    }

    /** The first of those that have the fewest. */
    private String leastLoaded(String topic) {
      String least = "";
      int fewest = Integer.MAX_VALUE;
      for (Map.Entry<String, Set<String>> member : topicsOf.entrySet()) {
        int count = partsOf.get(member.getKey()).size();
        if (count < fewest && member.getValue().contains(topic)) {
          least = member.getKey();
          fewest = count;
        }
      }
      return least;
    }

    /** Each move makes a larger share smaller and a smaller one larger, so there is an end. */
    private void balance() {
      boolean moved = true;
      while (moved) {
        moved = false;
        for (String member : topicsOf.keySet()) {
          moved |= unload(member);
        }
      }
    }

    private boolean unload(String member) {
      boolean moved = false;
      int fewest = partsOf.values().stream().mapToInt(Set::size).min().orElse(0); // at most what the least loaded will have
      if (partsOf.get(member).size() <= fewest + 1) {
        return false;
      }
      for (Part part : List.copyOf(partsOf.get(member)).stream().sorted(ORDER.reversed()).toList()) {
        String least = leastLoaded(part.topic());
        if (partsOf.get(member).size() > partsOf.get(least).size() + 1) {
          partsOf.get(member).remove(part);
          partsOf.get(least).add(part);
          moved = true;
        }
      }
      return moved;
    }

    private Map<String, TreeMap<String, List<Integer>>> byMember() {
      Map<String, TreeMap<String, List<Integer>>> result = new LinkedHashMap<>();
      partsOf.forEach(
          (member, parts) -> {
            TreeMap<String, List<Integer>> partitions = new TreeMap<>();
            parts.forEach(part -> partitions.computeIfAbsent(part.topic(), topic -> new ArrayList<>()).add(part.partition()));
            result.put(member, partitions);
          });
      return result;
    }
  }
}
