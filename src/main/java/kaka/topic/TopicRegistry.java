package kaka.topic;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;

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

  /** A command that somebody wants an answer to. */
  private sealed interface Asking extends Command {
    long correlationId();

    ActorRef<TopicReply> replyTo();

    default Asker asker() {
      return new Asker(correlationId(), replyTo());
    }
  }

  /**
   * Creates a topic; answered by {@link TopicReply.Ready} or {@link TopicReply.TopicRefused}.
   *
   * @param partitionCount 0 for the broker's default
   * @param settings as in {@link TopicSettings}, not yet checked
   */
  public record CreateTopic(
      String name, int partitionCount, Map<String, String> settings, long correlationId, ActorRef<TopicReply> replyTo)
      implements Asking {
    public CreateTopic {
      settings = Map.copyOf(settings);
    }
  }

  /** Somebody uses a partition: it is answered when open, created with its topic where that is allowed. */
  public record EnsureTopic(String name, int partition, long correlationId, ActorRef<TopicReply> replyTo)
      implements Asking {}

  /**
   * Gives a topic more partitions; answered as a creation.
   *
   * @param partitionCount how many it is to have in all
   */
  public record AddPartitions(String name, int partitionCount, long correlationId, ActorRef<TopicReply> replyTo)
      implements Asking {}

  /**
   * Changes settings of a topic, those of its running partitions too; answered as a creation.
   *
   * @param changes name to value, not yet checked; an empty value goes back to the broker's
   */
  public record AlterTopic(
      String name, Map<String, String> changes, long correlationId, ActorRef<TopicReply> replyTo) implements Asking {
    public AlterTopic {
      changes = Map.copyOf(changes);
    }
  }

  /** Answered by {@link TopicReply.Gone} or {@link TopicReply.TopicRefused}. */
  public record DeleteTopic(String name, long correlationId, ActorRef<TopicReply> replyTo) implements Asking {}

  /** Answered once every partition known at start has opened or failed. */
  public record AwaitOpened(ActorRef<OpenedTopics> replyTo) implements Command {}

  /** Closes every partition, then the registry's log, then stops. */
  public enum Close implements Command {
    INSTANCE
  }

  private record PartitionOpened(UUID topicId, PartitionHandle handle) implements Command {}

  private record PartitionStopped(UUID topicId, PartitionHandle handle) implements Command {}

  private final ActorContext<Command> context;
  private final Routes routes;
  private final RunningPartitions partitions;
  private final TopicRules rules;
  private final TopicJournal journal;
  private final OpeningTopics opening = new OpeningTopics();
  private final Map<UUID, DeletingTopic> deleting = new HashMap<>();

  private TopicRegistry(
      ActorContext<Command> context, TopicStorage storage, TopicsConfig config, Routes routes, TopicJournal journal) {
    this.context = context;
    this.routes = routes;
    this.journal = journal;
    this.rules = new TopicRules(config, storage.log(), storage.disk(), storage.dataDirectory(), storage.descriptors());
    this.partitions = new RunningPartitions(context, storage, PartitionOpened::new, PartitionStopped::new);
  }

  /**
   * Reads the registry's log, finishes what a stop cut short, and spawns the partitions.
   *
   * @throws IOException (from here, so that the start fails with it) if the registry's log cannot be read, or tells of what
   *     this version does not know
   */
  public static Behavior<Command> create(TopicStorage storage, TopicsConfig config, Routes routes) throws IOException {
    TopicsAtStart start = TopicsAtStart.read(storage);
    return Behaviors.setup(
        context -> {
          context.setLoggerName(TopicRegistry.class);
          TopicRegistry registry = new TopicRegistry(context, storage, config, routes, start.journal());
          registry.begin(start);
          return registry.serving();
        });
  }

  // ---------------------------------------------------------------- start

  private void begin(TopicsAtStart start) {
    partitions.finishDeletions(start.deleted());
    Map<String, TopicRoute> found = new HashMap<>();
    start.topics().forEach(topic -> found.put(topic.name(), openTopic(topic, List.of(), start.completedCount(topic))));
    routes.publishNotice(start.notice());
    routes.publish(RoutingTable.EMPTY.with(found));
    partitions.open(routes.table().partitions());
  }

  /**
   * @param there the first partitions of it, as far as they have been spawned
   * @param completedCount so many partitions must have their directories; the others may have to be created
   */
  private TopicRoute openTopic(Topic topic, List<PartitionHandle> there, int completedCount) {
    List<PartitionHandle> spawned = partitions.spawn(topic, there.size(), completedCount);
    TopicRoute route = new TopicRoute(topic, Stream.concat(there.stream(), spawned.stream()).toList());
    opening.begin(route, spawned, completedCount);
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
        .onMessage(Asking.class, asking -> refuse(asking.asker(), TopicRefusal.SHUTTING_DOWN, "the broker is stopping"))
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
    return createTopic(
        create,
        create.name(),
        rules.create(create.name(), create.partitionCount(), create.settings(), routes.table()));
  }

  private Behavior<Command> createTopic(Asking asking, String name, TopicDecision decision) {
    Optional<DeletingTopic> goingAway = deleting.values().stream().filter(topic -> topic.name().equals(name)).findFirst();
    if (goingAway.isPresent()) {
      goingAway.get().hold(asking);
      return Behaviors.same();
    }
    return decision instanceof TopicDecision.Accepted accepted
        ? createTopic(accepted.topic(), asking.asker())
        : refuse(asking.asker(), decision);
  }

  private Behavior<Command> createTopic(Topic topic, Asker asker) {
    if (!journal.record(new TopicEvent.Created(topic))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    TopicRoute route = openTopic(topic, List.of(), 0);
    opening.find(topic).orElseThrow().add(asker);
    routes.publish(routes.table().with(route));
    partitions.openInTurn(route.partitions());
    context.getLog().info("topic created topic={} id={} partitions={}", topic.name(), topic.id(), topic.partitionCount());
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- change

  private Behavior<Command> onAddPartitions(AddPartitions add) {
    Asker asker = add.asker();
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
    List<PartitionHandle> there = route.get().partitions();
    TopicRoute longer = openTopic(topic, there, opening.completedCount(route.get()));
    opening.find(topic).orElseThrow().add(asker);
    routes.publish(routes.table().with(longer));
    partitions.openInTurn(longer.partitions().subList(there.size(), topic.partitionCount()));
    context.getLog().info("partitions added topic={} id={} partitions={}", topic.name(), topic.id(), topic.partitionCount());
    return Behaviors.same();
  }

  private Behavior<Command> onAlter(AlterTopic alter) {
    Asker asker = alter.asker();
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
      partitions.configure(altered);
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
    Optional<OpeningTopic> unfinished = opening.find(route.get().topic());
    unfinished.ifPresent(topic -> topic.hold(change));
    return unfinished.isPresent() ? Optional.empty() : route;
  }

  // ---------------------------------------------------------------- use

  private Behavior<Command> onEnsure(EnsureTopic ensure) {
    Asker asker = ensure.asker();
    Optional<TopicRoute> route = routes.table().find(ensure.name());
    if (route.isPresent()) {
      opening.find(route.get().topic()).ifPresentOrElse(topic -> topic.add(asker), () -> asker.ready(route.get()));
      return Behaviors.same();
    }
    if (!journal.isComplete()) { // it may exist
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    TopicDecision decision = rules.createUsed(ensure.name(), ensure.partition(), routes.table());
    return decision instanceof TopicDecision.Accepted
        ? createTopic(ensure, ensure.name(), decision)
        : refuse(asker, decision);
  }

  private Behavior<Command> onPartitionOpened(PartitionOpened opened) {
    partitions.opened(opened.handle());
    opening.settle(opened.topicId(), opened.handle()).ifPresent(this::finishOpening);
    return Behaviors.same();
  }

  private void finishOpening(OpeningTopic opened) {
    UUID id = opened.route().topic().id();
    if (opened.isToBeCompleted() && journal.record(new TopicEvent.Completed(id))) {
      opening.completed(id);
    }
    opened.askers().forEach(asker -> asker.ready(opened.route()));
    opened.held().forEach(context.getSelf()::tell);
    opening.released().forEach(this::onAwaitOpened);
  }

  private Behavior<Command> onAwaitOpened(AwaitOpened await) {
    if (opening.isEmpty()) {
      await.replyTo().tell(OpenedTopics.of(routes.table(), journal.unchangeable()));
    } else {
      opening.hold(await);
    }
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- delete

  private Behavior<Command> onDelete(DeleteTopic delete) {
    Asker asker = delete.asker();
    Optional<TopicRoute> route = routes.table().find(delete.name());
    if (route.isEmpty()) {
      return refuse(asker, TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + delete.name() + "'");
    }
    UUID id = route.get().topic().id();
    if (!journal.record(new TopicEvent.Deleted(id))) {
      return refuse(asker, TopicRefusal.STORAGE_FAILED, journal.unchangeable());
    }
    routes.publish(routes.table().without(delete.name()));
    opening.remove(id).ifPresent(this::giveUpOpening);
    context.getLog().info("topic deleted topic={} id={}", delete.name(), id);
    DeletingTopic going = new DeletingTopic(route.get().topic().name(), partitions.delete(route.get()), asker);
    deleting.put(id, going);
    if (going.isGone()) {
      finishDeleting(id, going);
    }
    return Behaviors.same();
  }

  private void giveUpOpening(OpeningTopic deleted) {
    String what = "topic '" + deleted.route().topic().name() + "' was deleted";
    deleted.askers().forEach(waiting -> waiting.refuse(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, what));
    deleted.held().forEach(context.getSelf()::tell);
    opening.released().forEach(this::onAwaitOpened);
  }

  private Behavior<Command> onPartitionStopped(PartitionStopped stopped) {
    partitions.stopped(stopped.handle());
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
    partitions.close();
    return partitions.isEmpty() ? Behaviors.stopped() : closing();
  }

  private Behavior<Command> onStoppedWhileClosing(PartitionStopped stopped) {
    partitions.stopped(stopped.handle());
    return partitions.isEmpty() ? Behaviors.stopped() : Behaviors.same();
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

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
