package kaka.group;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What people ask of groups, whatever their type; part of {@link GroupState}. */
final class GroupAdministration {
  private final ConsumerGroups groups;
  private final EpochGroups epochs;
  private final CommittedOffsets stored;

  GroupAdministration(ConsumerGroups groups, EpochGroups epochs, CommittedOffsets stored) {
    this.groups = groups;
    this.epochs = epochs;
    this.stored = stored;
  }

  void deleteGroups(long ticket, GroupRequest.DeleteGroups delete, Decision decision) {
    Map<String, Optional<GroupError>> errors = new LinkedHashMap<>();
    for (String name : delete.groups()) {
      errors.computeIfAbsent(name, each -> deleteGroup(each, decision));
    }
    decision.answer(ticket, new GroupResult.GroupsDeleted(errors));
  }

  private Optional<GroupError> deleteGroup(String name, Decision decision) {
    if (!groups.contains(name) && !epochs.contains(name) && !stored.contains(name)) {
      return Optional.of(GroupError.GROUP_NOT_FOUND);
    }
    if (groups.find(name).filter(group -> group.phase() != GroupPhase.EMPTY).isPresent() || epochs.hasMembers(name)) {
      return Optional.of(GroupError.NOT_EMPTY);
    }
    groups.drop(name);
    epochs.forget(name);
    decision.store(new GroupEvent.GroupRemoved(name));
    return Optional.empty();
  }

  void deleteOffsets(long ticket, GroupRequest.DeleteOffsets delete, Decision decision) {
    Optional<ConsumerGroup> group = groups.find(delete.group());
    if (group.isEmpty() && !epochs.contains(delete.group()) && !stored.contains(delete.group())) {
      decision.refuse(ticket, GroupError.GROUP_NOT_FOUND);
      return;
    }
    Set<String> byEpochs = epochs.find(delete.group()).map(EpochGroup::subscribedTopics).orElse(Set.of());
    Optional<Set<String>> subscribed = group.isEmpty() ? Optional.of(byEpochs) : group.get().subscribedTopics();
    if (subscribed.isEmpty()) {
      decision.refuse(ticket, GroupError.NOT_EMPTY);
      return;
    }
    List<Optional<GroupError>> errors = new ArrayList<>();
    for (GroupRequest.NamedPartition partition : delete.partitions()) {
      boolean isRead = subscribed.get().contains(partition.topic());
      if (!isRead) {
        decision.store(new GroupEvent.OffsetRemoved(delete.group(), partition.id()));
      }
      errors.add(isRead ? Optional.of(GroupError.SUBSCRIBED_TO_TOPIC) : Optional.empty());
    }
    decision.answer(ticket, new GroupResult.OffsetsDeleted(errors));
  }

  void list(long ticket, GroupRequest.ListGroups list, Decision decision) {
    Set<String> names = stored.names();
    names.addAll(groups.names());
    names.addAll(epochs.names());
    List<GroupResult.Listing> listed = new ArrayList<>();
    for (String name : names) {
      GroupResult.Description group = describe(name);
      boolean isWanted = list.types().isEmpty() || list.types().contains(group.type());
      if (isWanted && (list.phases().isEmpty() || list.phases().contains(group.phase()))) {
        listed.add(new GroupResult.Listing(name, group.protocolType(), group.phase(), group.type(), group.members().size()));
      }
    }
    decision.answer(ticket, new GroupResult.GroupsListed(listed));
  }

  GroupResult.Description describe(String name) {
    Optional<ConsumerGroup> group = groups.find(name);
    if (group.isPresent() || epochs.contains(name)) {
      return group.isPresent() ? group.get().describe() : epochs.find(name).get().describeAsClassic();
    }
    GroupPhase phase = stored.contains(name) ? GroupPhase.EMPTY : GroupPhase.DEAD;
    return new GroupResult.Description(name, phase, stored.generation(name), stored.protocolType(name), "", List.of(), stored.type(name));
  }
}
