package kaka.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the coordinator has assigned in one group, and the topics that this rests on. */
final class CoordinatorAssignment {
  private Map<String, Optional<Topics.Shape>> restsOn = Map.of();

  /** Shares the partitions out among the members, by the {@link Assignor} that {@code protocol} names. */
  void assign(GroupMembers members, String protocol, Topics topics) {
    List<Assignor.Wanting> wanting = new ArrayList<>();
    Map<String, Optional<Topics.Shape>> wanted = new HashMap<>();
    List<Member> inOrder = new ArrayList<>(members.all());
    inOrder.sort(Comparator.comparing(member -> member.instanceId().orElse(member.id())));
    for (Member member : inOrder) {
      List<String> names = member.topics(protocol).orElse(List.of());
      names.forEach(topic -> wanted.put(topic, topics.find(topic)));
      wanting.add(new Assignor.Wanting(member.id(), names, member.assignedPartitions()));
    }
    restsOn = Map.copyOf(wanted);
    Assignor.of(protocol)
        .orElse(Assignor.RANGE)
        .assign(wanting, topics)
        .forEach((id, partitions) -> members.get(id).assign(ConsumerProtocol.assignment(partitions)));
  }

  /** Whether any of those topics is another, or has other partitions, by now. */
  boolean isOutdated(Topics now) {
    return restsOn.entrySet().stream().anyMatch(topic -> !now.find(topic.getKey()).equals(topic.getValue()));
  }

  /** It is over, or a member has assigned. */
  void forget() {
    restsOn = Map.of();
  }
}
