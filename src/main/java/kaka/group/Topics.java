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
 */
public record Topics(Map<String, Shape> byName, Set<UUID> ids) {
  public static final Topics NONE = Topics.of(Map.of());

  /** What an assignment rests on. */
  public record Shape(UUID id, int partitionCount) {}

  public static Topics of(Map<String, Shape> byName) {
    return new Topics(Map.copyOf(byName), byName.values().stream().map(Shape::id).collect(Collectors.toUnmodifiableSet()));
  }

  public Optional<Shape> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Whether such a topic exists. */
  public boolean contains(UUID id) {
    return ids.contains(id);
  }
}
