package kaka.topic;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import kaka.log.LogConfig;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.record.TopicPartition;

/** The partitions' actors, children of the registry's: spawned here, told what concerns several of them, until they have stopped. */
final class RunningPartitions {
  static final String LOG_IO = "kaka.dispatchers.log-io";

  private final ActorContext<TopicRegistry.Command> context;
  private final TopicRegistry.Storage storage;
  private final PartitionFiles files;
  private final BiFunction<UUID, PartitionHandle, TopicRegistry.Command> opened;
  private final BiFunction<UUID, PartitionHandle, TopicRegistry.Command> stopped;
  private final Set<PartitionHandle> running = new HashSet<>();

  /**
   * @param opened what the registry is told when a topic's partition has opened, or failed to
   * @param stopped what it is told when its actor has stopped
   */
  RunningPartitions(
      ActorContext<TopicRegistry.Command> context,
      TopicRegistry.Storage storage,
      PartitionFiles files,
      BiFunction<UUID, PartitionHandle, TopicRegistry.Command> opened,
      BiFunction<UUID, PartitionHandle, TopicRegistry.Command> stopped) {
    this.context = context;
    this.storage = storage;
    this.files = files;
    this.opened = opened;
    this.stopped = stopped;
  }

  /** @param mustExist whether it was there once, so that a missing directory is damage */
  PartitionHandle spawn(Topic topic, int number, boolean mustExist) {
    TopicPartition id = new TopicPartition(topic.name(), number);
    PartitionHandle handle = new PartitionHandle(id);
    LogConfig logConfig = topic.settings().over(storage.log());
    ActorRef<TopicRegistry.Command> self = context.getSelf();
    ActorRef<PartitionActor.Command> actor =
        context.spawn( // no supervisor: fail-stop
            PartitionActor.create(
                handle,
                () -> files.open(id, topic.id(), logConfig, mustExist),
                () -> files.remove(id, topic.id()),
                storage.partitions(),
                () -> self.tell(opened.apply(topic.id(), handle))),
            "partition-" + number + "-" + topic.id(),
            DispatcherSelector.fromConfig(LOG_IO));
    handle.bind(actor);
    context.watchWith(actor, stopped.apply(topic.id(), handle));
    running.add(handle);
    return handle;
  }

  /** Gives those of a topic its settings. */
  void configure(Topic topic, Collection<PartitionHandle> partitions) {
    LogConfig logConfig = topic.settings().over(storage.log());
    partitions.stream()
        .filter(running::contains)
        .forEach(partition -> partition.actor().tell(new PartitionActor.Configure(logConfig)));
  }

  /** Takes note of one that has stopped. */
  void remove(PartitionHandle partition) {
    running.remove(partition);
  }

  void closeAll() {
    running.forEach(partition -> partition.actor().tell(PartitionActor.Close.INSTANCE));
  }

  boolean isEmpty() {
    return running.isEmpty();
  }

  /** Those of {@code partitions} that are running. */
  Set<PartitionHandle> among(Collection<PartitionHandle> partitions) {
    Set<PartitionHandle> found = new HashSet<>(partitions);
    found.retainAll(running);
    return found;
  }
}
