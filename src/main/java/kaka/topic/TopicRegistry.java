package kaka.topic;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import kaka.log.DescriptorBudget;
import kaka.log.Disk;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.record.TopicPartition;

/**
 * Which topics exist, their settings and ids; sole owner of the registry's log, parent of every {@link PartitionActor}.
 *
 * <p>A change is written and synced first, then done, then published. A creation ends with a {@code completed} event: a
 * restart before it finishes the creation, after it a missing directory is damage. A deletion ends when the files are gone;
 * a restart before that goes on with it.
 *
 * <p>It blocks in file operations: spawn it on {@code kaka.dispatchers.log-io}.
 */
public final class TopicRegistry {
  public sealed interface Command {}

  /**
   * Creates a topic; answered by {@link TopicReply.Ready} or {@link TopicReply.TopicRefused}.
   *
   * @param partitionCount 0 for the broker's default
   * @param settings as in {@link TopicSettings}, not yet checked
   */
  public record CreateTopic(
      String name, int partitionCount, Map<String, String> settings, long correlationId, ActorRef<TopicReply> replyTo)
      implements Command {
    public CreateTopic {
      settings = Map.copyOf(settings);
    }
  }

  /** Somebody uses a partition: it is answered when open, created with its topic where that is allowed. */
  public record EnsureTopic(String name, int partition, long correlationId, ActorRef<TopicReply> replyTo)
      implements Command {}

  /** Answered by {@link TopicReply.Gone} or {@link TopicReply.TopicRefused}. */
  public record DeleteTopic(String name, long correlationId, ActorRef<TopicReply> replyTo) implements Command {}

  /** Answered once every partition known at start has opened or failed. */
  public record AwaitOpened(ActorRef<Opened> replyTo) implements Command {}

  /** Closes every partition, then the registry's log, then stops. */
  public enum Close implements Command {
    INSTANCE
  }

  private record PartitionOpened(UUID topicId, PartitionHandle handle) implements Command {}

  private record PartitionStopped(UUID topicId, PartitionHandle handle) implements Command {}

  /**
   * @param failed those that could not be opened, or were opened for reading only
   * @param problem why topics cannot be created or deleted; empty if they can
   */
  public record Opened(int topicCount, int partitionCount, List<TopicPartition> failed, String problem) {
    public Opened {
      failed = List.copyOf(failed);
    }
  }

  /** What the registry gives to each partition. */
  public record Storage(
      Disk disk,
      Path dataDirectory,
      LogConfig log,
      PartitionActor.Settings partitions,
      Clock clock,
      DescriptorBudget descriptors) {}

  /** Where in the data directory the registry's log is. */
  public static final String DIRECTORY = TopicLog.DIRECTORY;

  /** Files that a partition has open: its active segment, and its recovery point. */
  private static final int FILES_PER_PARTITION = 2;

  private static final String LOG_IO = "kaka.dispatchers.log-io";

  private final ActorContext<Command> context;
  private final Storage storage;
  private final TopicsConfig config;
  private final Routes routes;
  private final PartitionFiles files;
  private final Optional<TopicLog> log; // empty if it cannot be used
  private final Map<UUID, OpeningTopic> opening = new HashMap<>();
  private final Map<UUID, DeletingTopic> deleting = new HashMap<>();
  private final Set<PartitionHandle> running = new HashSet<>();
  private final List<AwaitOpened> awaitingOpened = new ArrayList<>();
  private String unchangeable = ""; // why topics cannot change any more

  private TopicRegistry(
      ActorContext<Command> context, Storage storage, TopicsConfig config, Routes routes, Optional<TopicLog> log) {
    this.context = context;
    this.storage = storage;
    this.config = config;
    this.routes = routes;
    this.log = log;
    this.files =
        new PartitionFiles(
            storage.disk(),
            storage.dataDirectory(),
            storage.clock(),
            context.getSystem().dispatchers().lookup(DispatcherSelector.fromConfig(LOG_IO)));
  }

  /**
   * Reads the registry's log, finishes what a stop cut short, and spawns the partitions.
   *
   * <p>Where that log is damaged, the topics are those that {@link FoundTopics} is certain of: they are served, written and
   * read, and nothing of them expires; none can be created or deleted until an operator has had the log made anew.
   *
   * @throws IOException (from here, so that the start fails with it) if the registry's log cannot be read, or tells of what
   *     this version does not know
   */
  public static Behavior<Command> create(Storage storage, TopicsConfig config, Routes routes) throws IOException {
    try {
      TopicLog log = TopicLog.open(storage.disk(), storage.dataDirectory(), storage.log(), storage.clock());
      List<TopicEvent> events = eventsOf(log, storage);
      return create(storage, config, routes, Optional.of(log), registry -> registry.replay(events));
    } catch (LogDamagedException damage) {
      FoundTopics found = FoundTopics.find(storage.disk(), storage.dataDirectory()).keepingEverything();
      return create(storage, config, routes, Optional.empty(), registry -> registry.serveFound(found, damage));
    }
  }

  /** Also finishes imports, before a partition is opened: an empty one in the place of one is not to be written to. */
  private static List<TopicEvent> eventsOf(TopicLog log, Storage storage) throws IOException {
    try {
      List<TopicEvent> events = log.events();
      TopicImport.finish(storage.disk(), storage.dataDirectory(), KnownTopics.of(events));
      return events;
    } catch (IOException e) {
      log.close();
      throw e;
    }
  }

  private static Behavior<Command> create(
      Storage storage, TopicsConfig config, Routes routes, Optional<TopicLog> log, Consumer<TopicRegistry> start) {
    return Behaviors.setup(
        context -> {
          context.setLoggerName(TopicRegistry.class);
          TopicRegistry registry = new TopicRegistry(context, storage, config, routes, log);
          start.accept(registry);
          return registry.serving();
        });
  }

  // ---------------------------------------------------------------- start

  private void replay(List<TopicEvent> events) {
    KnownTopics known = KnownTopics.of(events);
    files.finishDeletions(known.deleted());
    Map<String, TopicRoute> found = new HashMap<>();
    known.topics().forEach(topic -> found.put(topic.name(), openTopic(topic, known.isCompleted(topic))));
    routes.publish(RoutingTable.EMPTY.with(found));
  }

  private void serveFound(FoundTopics found, LogDamagedException damage) {
    unchangeable = "the log of topics is damaged: " + damage.getMessage();
    context
        .getLog()
        .error(
            "topic log damaged, topics found by their directories, none can be created or deleted, nothing expires"
                + " topics={} settings_lost={} doubts={} cause=\"{}\"",
            found.topics().size(),
            found.settingsLost(),
            found.doubts(),
            damage.getMessage());
    Map<String, TopicRoute> opened = new HashMap<>();
    found.topics().forEach(topic -> opened.put(topic.name(), openTopic(topic, true)));
    routes.publishNotice("topics cannot be created or deleted, nothing expires: " + unchangeable);
    routes.publish(RoutingTable.EMPTY.with(opened));
  }

  private TopicRoute openTopic(Topic topic, boolean completed) {
    List<PartitionHandle> handles = new ArrayList<>(topic.partitionCount());
    for (int partition = 0; partition < topic.partitionCount(); partition++) {
      handles.add(spawnPartition(topic, new TopicPartition(topic.name(), partition), completed));
    }
    TopicRoute route = new TopicRoute(topic, handles);
    opening.put(topic.id(), new OpeningTopic(route, completed));
    return route;
  }

  private PartitionHandle spawnPartition(Topic topic, TopicPartition id, boolean mustExist) {
    PartitionHandle handle = new PartitionHandle(id);
    LogConfig logConfig = topic.settings().over(storage.log());
    ActorRef<Command> self = context.getSelf();
    ActorRef<PartitionActor.Command> actor =
        context.spawn( // no supervisor: fail-stop
            PartitionActor.create(
                handle,
                () -> files.open(id, topic.id(), logConfig, mustExist),
                () -> files.remove(id, topic.id()),
                storage.partitions(),
                () -> self.tell(new PartitionOpened(topic.id(), handle))),
            "partition-" + id.partition() + "-" + topic.id(),
            DispatcherSelector.fromConfig(LOG_IO));
    handle.bind(actor);
    context.watchWith(actor, new PartitionStopped(topic.id(), handle));
    running.add(handle);
    return handle;
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> serving() {
    return BehaviorBuilder.<Command>create()
        .onMessage(CreateTopic.class, this::onCreate)
        .onMessage(EnsureTopic.class, this::onEnsure)
        .onMessage(DeleteTopic.class, this::onDelete)
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessage(PartitionOpened.class, this::onPartitionOpened)
        .onMessage(PartitionStopped.class, this::onPartitionStopped)
        .onMessageEquals(Close.INSTANCE, this::onClose)
        .onAnyMessage(this::onUnexpected)
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  private Behavior<Command> closing() {
    return BehaviorBuilder.<Command>create()
        .onMessage(CreateTopic.class, create -> refuseClosing(create.correlationId(), create.replyTo()))
        .onMessage(EnsureTopic.class, ensure -> refuseClosing(ensure.correlationId(), ensure.replyTo()))
        .onMessage(DeleteTopic.class, delete -> refuseClosing(delete.correlationId(), delete.replyTo()))
        .onMessage(AwaitOpened.class, await -> Behaviors.same())
        .onMessage(PartitionOpened.class, opened -> Behaviors.same())
        .onMessage(PartitionStopped.class, this::onStoppedWhileClosing)
        .onMessageEquals(Close.INSTANCE, Behaviors::same)
        .onAnyMessage(this::onUnexpected)
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  // ---------------------------------------------------------------- create

  private Behavior<Command> onCreate(CreateTopic create) {
    Asker asker = new Asker(create.correlationId(), create.replyTo());
    Optional<DeletingTopic> goingAway = deletingOf(create.name());
    if (goingAway.isPresent()) {
      goingAway.get().hold(create);
      return Behaviors.same();
    }
    Optional<String> problem = TopicName.problemOf(create.name());
    if (problem.isPresent()) {
      return refuse(asker, TopicRefusal.INVALID, problem.get());
    }
    if (routes.table().find(create.name()).isPresent()) {
      return refuse(asker, TopicRefusal.EXISTS, "topic '" + create.name() + "' exists");
    }
    Topic topic;
    try {
      int partitionCount = create.partitionCount() == 0 ? config.defaultPartitions() : create.partitionCount();
      TopicSettings settings = new TopicSettings(create.settings());
      settings.over(storage.log());
      topic = new Topic(create.name(), UUID.randomUUID(), partitionCount, settings);
    } catch (IllegalArgumentException e) {
      return refuse(asker, TopicRefusal.INVALID, e.getMessage());
    }
    return createTopic(topic, asker);
  }

  private Behavior<Command> createTopic(Topic topic, Asker asker) {
    Optional<String> noRoom = noRoomFor(topic);
    if (noRoom.isPresent()) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, noRoom.get());
    }
    if (!record(new TopicEvent.Created(topic))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, unchangeable);
    }
    TopicRoute route = openTopic(topic, false);
    opening.get(topic.id()).add(asker);
    routes.publish(routes.table().with(route));
    context.getLog().info("topic created topic={} id={} partitions={}", topic.name(), topic.id(), topic.partitionCount());
    return Behaviors.same();
  }

  /** Refused before anything is touched: a partition that cannot be created would be failed for good. */
  private Optional<String> noRoomFor(Topic topic) {
    if (!storage.descriptors().hasRoomFor(topic.partitionCount() * FILES_PER_PARTITION)) {
      return Optional.of(
          topic.partitionCount() + " more partitions: the broker may have " + storage.descriptors().maxOpen()
              + " files open and has " + storage.descriptors().openCount() + " (ulimit -n, LimitNOFILE)");
    }
    try {
      boolean isNearlyFull = storage.disk().usableBytes(storage.dataDirectory()) < storage.log().minFreeBytes();
      return isNearlyFull ? Optional.of("disk nearly full") : Optional.empty();
    } catch (IOException e) {
      return Optional.of("free space is not known: " + e.getMessage());
    }
  }

  private Behavior<Command> onEnsure(EnsureTopic ensure) {
    Asker asker = new Asker(ensure.correlationId(), ensure.replyTo());
    Optional<TopicRoute> route = routes.table().find(ensure.name());
    if (route.isPresent()) {
      OpeningTopic unfinished = opening.get(route.get().topic().id());
      if (unfinished == null) {
        asker.ready(route.get());
      } else {
        unfinished.add(asker);
      }
      return Behaviors.same();
    }
    if (log.isEmpty()) { // it may exist
      return refuse(asker, TopicRefusal.STORAGE_FAILED, unchangeable);
    }
    if (!config.autoCreate() || ensure.partition() >= config.defaultPartitions()) {
      return refuse(asker, TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + ensure.name() + "'");
    }
    Optional<DeletingTopic> goingAway = deletingOf(ensure.name());
    if (goingAway.isPresent()) { // as it is, not as a creation: the second of two would find that the topic exists
      goingAway.get().hold(ensure);
      return Behaviors.same();
    }
    return onCreate(new CreateTopic(ensure.name(), 0, Map.of(), ensure.correlationId(), ensure.replyTo()));
  }

  private Behavior<Command> onPartitionOpened(PartitionOpened opened) {
    OpeningTopic unfinished = opening.get(opened.topicId());
    if (unfinished != null && unfinished.settle(opened.handle())) {
      finishOpening(unfinished);
    }
    return Behaviors.same();
  }

  private void finishOpening(OpeningTopic opened) {
    TopicRoute route = opened.route();
    opening.remove(route.topic().id());
    boolean allWritable = route.partitions().stream().allMatch(p -> p.view().state() == PartitionState.WRITABLE);
    if (!opened.isCompleted() && allWritable) {
      record(new TopicEvent.Completed(route.topic().id()));
    }
    opened.askers().forEach(asker -> asker.ready(route));
    answerWhenAllOpened();
  }

  private void answerWhenAllOpened() {
    if (opening.isEmpty()) {
      awaitingOpened.forEach(this::onAwaitOpened);
      awaitingOpened.clear();
    }
  }

  private Behavior<Command> onAwaitOpened(AwaitOpened await) {
    if (!opening.isEmpty()) {
      awaitingOpened.add(await);
      return Behaviors.same();
    }
    int partitionCount = 0;
    List<TopicPartition> failed = new ArrayList<>();
    for (TopicRoute route : routes.table().all()) {
      for (PartitionHandle handle : route.partitions()) {
        partitionCount++;
        if (handle.view().state() == PartitionState.FAILED) {
          failed.add(handle.id());
        }
      }
    }
    await.replyTo().tell(new Opened(routes.table().topicCount(), partitionCount, failed, unchangeable));
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- delete

  private Behavior<Command> onDelete(DeleteTopic delete) {
    Asker asker = new Asker(delete.correlationId(), delete.replyTo());
    Optional<TopicRoute> route = routes.table().find(delete.name());
    if (route.isEmpty()) {
      return refuse(asker, TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + delete.name() + "'");
    }
    UUID id = route.get().topic().id();
    if (!record(new TopicEvent.Deleted(id))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, unchangeable);
    }
    routes.publish(routes.table().without(delete.name()));
    OpeningTopic unfinished = opening.remove(id);
    if (unfinished != null) {
      String what = "topic '" + delete.name() + "' was deleted";
      unfinished.askers().forEach(waiting -> waiting.refuse(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, what));
      answerWhenAllOpened();
    }
    context.getLog().info("topic deleted topic={} id={}", delete.name(), id);
    DeletingTopic going = new DeletingTopic(route.get(), running, asker);
    deleting.put(id, going);
    if (going.isGone()) {
      finishDeleting(id, going);
    }
    return Behaviors.same();
  }

  private Optional<DeletingTopic> deletingOf(String name) {
    return deleting.values().stream().filter(topic -> topic.name().equals(name)).findFirst();
  }

  private Behavior<Command> onPartitionStopped(PartitionStopped stopped) {
    running.remove(stopped.handle());
    DeletingTopic going = deleting.get(stopped.topicId());
    if (going != null) {
      if (going.settle(stopped.handle())) {
        finishDeleting(stopped.topicId(), going);
      }
      return Behaviors.same();
    }
    // Nobody told it to: a bug, whose exception Akka has logged. This partition alone is lost to its users.
    stopped.handle().stopped("stopped by an internal error");
    context.getLog().error("partition stopped by an internal error partition={}", stopped.handle().id());
    return onPartitionOpened(new PartitionOpened(stopped.topicId(), stopped.handle())); // if it died opening, nobody waits for it any longer
  }

  private void finishDeleting(UUID id, DeletingTopic gone) {
    deleting.remove(id);
    gone.asker().gone();
    gone.waiting().forEach(context.getSelf()::tell);
  }

  // ---------------------------------------------------------------- stop

  private Behavior<Command> onClose() {
    running.forEach(partition -> partition.actor().tell(PartitionActor.Close.INSTANCE));
    return running.isEmpty() ? Behaviors.stopped() : closing();
  }

  private Behavior<Command> onStoppedWhileClosing(PartitionStopped stopped) {
    running.remove(stopped.handle());
    return running.isEmpty() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Command> onPostStop() {
    if (log.isEmpty()) {
      return Behaviors.same();
    }
    try {
      log.get().close();
    } catch (IOException e) {
      context.getLog().error("topic log not closed cause={}", e.toString());
    }
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- helpers

  /** Writes and syncs an event; once that has failed, never again (DESIGN law 3). */
  private boolean record(TopicEvent event) {
    if (log.isEmpty() || !unchangeable.isEmpty()) {
      return false;
    }
    try {
      log.get().append(event);
      return true;
    } catch (IOException e) {
      unchangeable = "the log of topics failed: " + e.getMessage();
      context.getLog().error("topic log failed, topics can no longer change cause={}", e.toString(), e);
      return false;
    }
  }

  private Behavior<Command> refuse(Asker asker, TopicRefusal reason, String message) {
    asker.refuse(reason, message);
    return Behaviors.same();
  }

  private Behavior<Command> refuseClosing(long correlationId, ActorRef<TopicReply> replyTo) {
    return refuse(new Asker(correlationId, replyTo), TopicRefusal.SHUTTING_DOWN, "the broker is stopping");
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
