package kaka.topic;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import kaka.partition.PartitionHandle;

/** Topic name to route; immutable, so a reader that holds one sees one moment. Routes stand in the order of their names. */
public final class RoutingTable {
  static final RoutingTable EMPTY = new RoutingTable(new TreeMap<>());

  private final TreeMap<String, TopicRoute> routes;
  private final Map<UUID, TopicRoute> byId;

  private RoutingTable(TreeMap<String, TopicRoute> routes) {
    this.routes = routes;
    this.byId = new HashMap<>(routes.size() * 2);
    routes.values().forEach(route -> byId.put(route.topic().id(), route));
  }

  public Optional<TopicRoute> find(String topic) {
    return Optional.ofNullable(routes.get(topic));
  }

  public Optional<TopicRoute> find(UUID id) {
    return Optional.ofNullable(byId.get(id));
  }

  public Iterable<TopicRoute> all() {
    return java.util.Collections.unmodifiableCollection(routes.values());
  }

  /** Those of all topics, in order. */
  public List<PartitionHandle> partitions() {
    return routes.values().stream().flatMap(route -> route.partitions().stream()).toList();
  }

  public int topicCount() {
    return routes.size();
  }

  RoutingTable with(TopicRoute route) {
    TreeMap<String, TopicRoute> next = new TreeMap<>(routes);
    next.put(route.topic().name(), route);
    return new RoutingTable(next);
  }

  RoutingTable with(Map<String, TopicRoute> more) {
    TreeMap<String, TopicRoute> next = new TreeMap<>(routes);
    next.putAll(more);
    return new RoutingTable(next);
  }

  RoutingTable without(String topic) {
    TreeMap<String, TopicRoute> next = new TreeMap<>(routes);
    next.remove(topic);
    return new RoutingTable(next);
  }
}
