package kaka.group;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The topics there are at one moment, as far as groups need to know.
 *
 * @param byName every topic
 * @param names of those, by id
 */
public record Topics(Map<String, Shape> byName, Map<UUID, String> names) {
  public static final Topics NONE = Topics.of(Map.of());

  /** What an assignment rests on. */
  public record Shape(UUID id, int partitionCount) {}

  public static Topics of(Map<String, Shape> byName) {
    return new Topics(
        Map.copyOf(byName),
        byName.entrySet().stream().collect(Collectors.toUnmodifiableMap(topic -> topic.getValue().id(), Map.Entry::getKey)));
  }

  public Optional<Shape> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  public Optional<String> nameOf(UUID id) {
    return Optional.ofNullable(names.get(id));
  }

  public Set<UUID> ids() {
    return names.keySet();
  }

  /** Whether such a topic exists. */
  public boolean contains(UUID id) {
    return names.containsKey(id);
  }
}
