package kaka.topic;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import kaka.log.LogConfig;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.record.TopicPartition;

/** The partitions' actors, from their start to their end: the registry's children. Belongs to the registry's actor. */
final class RunningPartitions {
  private static final String LOG_IO = "kaka.dispatchers.log-io";

  private final ActorContext<TopicRegistry.Command> context;
  private final TopicStorage storage;
  private final PartitionFiles files;
  private final BiFunction<UUID, PartitionHandle, TopicRegistry.Command> opened;
  private final BiFunction<UUID, PartitionHandle, TopicRegistry.Command> stopped;
  private final Set<PartitionHandle> running = new HashSet<>();
  private final OpeningTurns turns;

  /**
   * @param opened what the registry is told, with the topic's id, when one has opened or failed
   * @param stopped what it is told when one has stopped
   */
  RunningPartitions(
      ActorContext<TopicRegistry.Command> context,
      TopicStorage storage,
      BiFunction<UUID, PartitionHandle, TopicRegistry.Command> opened,
      BiFunction<UUID, PartitionHandle, TopicRegistry.Command> stopped) {
    this.context = context;
    this.storage = storage;
    this.files =
        new PartitionFiles(
            storage.disk(),
            storage.dataDirectory(),
            storage.clock(),
            context.getSystem().dispatchers().lookup(DispatcherSelector.fromConfig(LOG_IO)));
    this.opened = opened;
    this.stopped = stopped;
    this.turns = new OpeningTurns(Math.max(1, context.getSystem().settings().config().getInt(LOG_IO + ".threads") / 2));
  }

  /** Removes what the deletion of {@code topics} may have left when it was cut short. */
  void finishDeletions(Collection<Topic> topics) {
    files.finishDeletions(topics);
  }

  /**
   * Those of a topic from number {@code from} on; each opens when it is told.
   *
   * @param completedCount so many of all had their directories, so that a missing one is damage; the others may be created
   */
  List<PartitionHandle> spawn(Topic topic, int from, int completedCount) {
    return IntStream.range(from, topic.partitionCount())
        .mapToObj(number -> spawn(topic, number, number < completedCount))
        .toList();
  }

  private PartitionHandle spawn(Topic topic, int number, boolean mustExist) {
    TopicPartition id = new TopicPartition(topic.name(), number);
    PartitionHandle handle = new PartitionHandle(id);
    LogConfig logConfig = topic.settings().over(storage.log());
    ActorRef<TopicRegistry.Command> registry = context.getSelf();
    ActorRef<PartitionActor.Command> actor =
        context.spawn( // no supervisor: fail-stop
            PartitionActor.create(
                handle,
                () -> files.open(id, topic.id(), logConfig, mustExist),
                () -> files.remove(id, topic.id()),
                storage.partitions(),
                () -> registry.tell(opened.apply(topic.id(), handle))),
            "partition-" + number + "-" + topic.id(),
            DispatcherSelector.fromConfig(LOG_IO));
    handle.bind(actor);
    context.watchWith(actor, stopped.apply(topic.id(), handle));
    running.add(handle);
    return handle;
  }

  /** At a start: all at once, as nobody is served before. */
  void open(Collection<PartitionHandle> partitions) {
    partitions.forEach(partition -> partition.actor().tell(PartitionActor.Open.INSTANCE));
  }

  /** Beside partitions that are served: half of the storage threads stay theirs. */
  void openInTurn(Collection<PartitionHandle> created) {
    open(turns.add(created));
  }

  /** One has opened, or failed to. */
  void opened(PartitionHandle partition) {
    open(turns.end(partition));
  }

  /** Tells the topic's partitions its settings. */
  void configure(TopicRoute route) {
    PartitionActor.Configure configure = new PartitionActor.Configure(route.topic().settings().over(storage.log()));
    of(route).forEach(partition -> partition.actor().tell(configure));
  }

  /** Tells the topic's partitions to delete themselves. @return those that were running, so that they will stop */
  Set<PartitionHandle> delete(TopicRoute route) {
    Set<PartitionHandle> going = of(route);
    going.forEach(partition -> partition.actor().tell(PartitionActor.Delete.INSTANCE));
    return going;
  }

  private Set<PartitionHandle> of(TopicRoute route) {
    Set<PartitionHandle> ofTopic = new HashSet<>(route.partitions());
    ofTopic.retainAll(running);
    return ofTopic;
  }

  /** Tells all of them to close. */
  void close() {
    running.forEach(partition -> partition.actor().tell(PartitionActor.Close.INSTANCE));
  }

  void stopped(PartitionHandle partition) {
    running.remove(partition);
    open(turns.end(partition));
  }

  boolean isEmpty() {
    return running.isEmpty();
  }
}
