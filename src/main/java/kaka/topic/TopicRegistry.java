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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /**
   * Gives a topic more partitions; answered as a creation.
   *
   * @param partitionCount how many it is to have in all
   */
  public record AddPartitions(String name, int partitionCount, long correlationId, ActorRef<TopicReply> replyTo)
      implements Command {}

  /**
   * Changes settings of a topic, those of its running partitions too; answered as a creation.
   *
   * @param changes name to value, not yet checked; an empty value goes back to the broker's
   */
  public record AlterTopic(
      String name, Map<String, String> changes, long correlationId, ActorRef<TopicReply> replyTo) implements Command {
    public AlterTopic {
      changes = Map.copyOf(changes);
    }
  }

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

  private final ActorContext<Command> context;
  private final Storage storage;
  private final TopicsConfig config;
  private final Routes routes;
  private final PartitionFiles files;
  private final TopicRules rules;
  private final TopicJournal journal;
  private final Map<UUID, OpeningTopic> opening = new HashMap<>();
  private final Map<UUID, DeletingTopic> deleting = new HashMap<>();
  private final Map<UUID, Integer> completedCounts = new HashMap<>(); // of partitions, as the journal has them
  private final RunningPartitions running;
  private final List<AwaitOpened> awaitingOpened = new ArrayList<>();

  private TopicRegistry(
      ActorContext<Command> context, Storage storage, TopicsConfig config, Routes routes, TopicJournal journal) {
    this.context = context;
    this.storage = storage;
    this.config = config;
    this.routes = routes;
    this.journal = journal;
    this.rules = new TopicRules(config, storage.log(), storage.disk(), storage.dataDirectory(), storage.descriptors());
    this.files =
        new PartitionFiles(
            storage.disk(),
            storage.dataDirectory(),
            storage.clock(),
            context.getSystem().dispatchers().lookup(DispatcherSelector.fromConfig(RunningPartitions.LOG_IO)));
    this.running = new RunningPartitions(context, storage, files, PartitionOpened::new, PartitionStopped::new);
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
      return create(storage, config, routes, TopicJournal.of(log), registry -> registry.replay(events));
    } catch (LogDamagedException damage) {
      FoundTopics found = FoundTopics.find(storage.disk(), storage.dataDirectory()).keepingEverything();
      TopicJournal journal = TopicJournal.closed("the log of topics is damaged: " + damage.getMessage());
      return create(storage, config, routes, journal, registry -> registry.serveFound(found, damage));
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
      Storage storage, TopicsConfig config, Routes routes, TopicJournal journal, Consumer<TopicRegistry> start) {
    return Behaviors.setup(
        context -> {
          context.setLoggerName(TopicRegistry.class);
          TopicRegistry registry = new TopicRegistry(context, storage, config, routes, journal);
          start.accept(registry);
          return registry.serving();
        });
  }

  // ---------------------------------------------------------------- start

  private void replay(List<TopicEvent> events) {
    KnownTopics known = KnownTopics.of(events);
    files.finishDeletions(known.deleted());
    Map<String, TopicRoute> found = new HashMap<>();
    known.topics().forEach(topic -> found.put(topic.name(), openTopic(topic, known.completedCount(topic))));
    routes.publish(RoutingTable.EMPTY.with(found));
  }

  private void serveFound(FoundTopics found, LogDamagedException damage) {
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
    found.topics().forEach(topic -> opened.put(topic.name(), openTopic(topic, topic.partitionCount())));
    routes.publishNotice("topics cannot be created or deleted, nothing expires: " + journal.unchangeable());
    routes.publish(RoutingTable.EMPTY.with(opened));
  }

  /** @param completedCount so many partitions must be there; the others may have to be created */
  private TopicRoute openTopic(Topic topic, int completedCount) {
    completedCounts.put(topic.id(), completedCount);
    return openTopic(topic, List.of());
  }

  /** @param before the first partitions of it, which are there already */
  private TopicRoute openTopic(Topic topic, List<PartitionHandle> before) {
    int completedCount = completedCounts.get(topic.id());
    List<PartitionHandle> handles = new ArrayList<>(before);
    for (int number = before.size(); number < topic.partitionCount(); number++) {
      handles.add(running.spawn(topic, number, number < completedCount));
    }
    TopicRoute route = new TopicRoute(topic, handles);
    opening.put(topic.id(), new OpeningTopic(route, completedCount, handles.subList(before.size(), handles.size())));
    return route;
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> serving() {
    return BehaviorBuilder.<Command>create()
        .onMessage(CreateTopic.class, this::onCreate)
        .onMessage(EnsureTopic.class, this::onEnsure)
        .onMessage(AddPartitions.class, this::onAddPartitions)
        .onMessage(AlterTopic.class, this::onAlter)
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
        .onMessage(AddPartitions.class, add -> refuseClosing(add.correlationId(), add.replyTo()))
        .onMessage(AlterTopic.class, alter -> refuseClosing(alter.correlationId(), alter.replyTo()))
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
    TopicDecision decision =
        rules.create(create.name(), create.partitionCount(), create.settings(), routes.table());
    return decision instanceof TopicDecision.Accepted accepted
        ? createTopic(accepted.topic(), asker)
        : refuse(asker, decision);
  }

  private Behavior<Command> createTopic(Topic topic, Asker asker) {
    if (!journal.record(new TopicEvent.Created(topic))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    TopicRoute route = openTopic(topic, 0);
    opening.get(topic.id()).add(asker);
    routes.publish(routes.table().with(route));
    context.getLog().info("topic created topic={} id={} partitions={}", topic.name(), topic.id(), topic.partitionCount());
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- change

  private Behavior<Command> onAddPartitions(AddPartitions add) {
    Asker asker = new Asker(add.correlationId(), add.replyTo());
    Optional<TopicRoute> route = changeable(add, add.name(), asker);
    if (route.isEmpty()) {
      return Behaviors.same();
    }
    TopicDecision decision = rules.addPartitions(route.get().topic(), add.partitionCount());
    if (!(decision instanceof TopicDecision.Accepted accepted)) {
      return refuse(asker, decision);
    }
    Topic topic = accepted.topic();
    if (!journal.record(new TopicEvent.PartitionsAdded(topic.id(), topic.partitionCount()))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    TopicRoute longer = openTopic(topic, route.get().partitions());
    opening.get(topic.id()).add(asker);
    routes.publish(routes.table().with(longer));
    context.getLog().info("partitions added topic={} id={} partitions={}", topic.name(), topic.id(), topic.partitionCount());
    return Behaviors.same();
  }

  private Behavior<Command> onAlter(AlterTopic alter) {
    Asker asker = new Asker(alter.correlationId(), alter.replyTo());
    Optional<TopicRoute> route = changeable(alter, alter.name(), asker);
    if (route.isEmpty()) {
      return Behaviors.same();
    }
    TopicDecision decision = rules.alter(route.get().topic(), alter.changes());
    if (!(decision instanceof TopicDecision.Accepted accepted)) {
      return refuse(asker, decision);
    }
    Topic topic = accepted.topic();
    TopicRoute altered = new TopicRoute(topic, route.get().partitions());
    if (!topic.equals(route.get().topic())) {
      if (!journal.record(new TopicEvent.SettingsChanged(topic.id(), topic.settings()))) {
        return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
      }
      running.configure(topic, altered.partitions());
      routes.publish(routes.table().with(altered));
      context.getLog().info("topic altered topic={} id={} settings={}", topic.name(), topic.id(), topic.settings().values());
    }
    asker.ready(altered);
    return Behaviors.same();
  }

  /** The topic, if it can be changed now. If not, {@code change} has been answered, or waits until the topic has opened. */
  private Optional<TopicRoute> changeable(Command change, String name, Asker asker) {
    Optional<TopicRoute> route = routes.table().find(name);
    if (route.isEmpty()) {
      asker.refuse(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + name + "'");
      return route;
    }
    OpeningTopic unfinished = opening.get(route.get().topic().id());
    if (unfinished != null) {
      unfinished.hold(change);
      return Optional.empty();
    }
    return route;
  }

  // ---------------------------------------------------------------- use

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
    if (!journal.isComplete()) { // it may exist
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
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
    if (opened.isToBeCompleted() && journal.record(new TopicEvent.Completed(route.topic().id()))) {
      completedCounts.put(route.topic().id(), route.partitions().size());
    }
    opened.askers().forEach(asker -> asker.ready(route));
    opened.held().forEach(context.getSelf()::tell);
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
    await.replyTo().tell(new Opened(routes.table().topicCount(), partitionCount, failed, journal.unchangeable()));
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
    if (!journal.record(new TopicEvent.Deleted(id))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    routes.publish(routes.table().without(delete.name()));
    completedCounts.remove(id);
    OpeningTopic unfinished = opening.remove(id);
    if (unfinished != null) {
      String what = "topic '" + delete.name() + "' was deleted";
      unfinished.askers().forEach(waiting -> waiting.refuse(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, what));
      unfinished.held().forEach(context.getSelf()::tell);
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
    running.closeAll();
    return running.isEmpty() ? Behaviors.stopped() : closing();
  }

  private Behavior<Command> onStoppedWhileClosing(PartitionStopped stopped) {
    running.remove(stopped.handle());
    return running.isEmpty() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Command> onPostStop() {
    journal.close();
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- helpers

  private Behavior<Command> refuse(Asker asker, TopicDecision decision) {
    TopicDecision.Refused refused = (TopicDecision.Refused) decision;
    return refuse(asker, refused.reason(), refused.message());
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
