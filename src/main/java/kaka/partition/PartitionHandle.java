package kaka.partition;

import akka.actor.typed.ActorRef;
import java.util.Objects;
import java.util.Optional;
import kaka.metrics.PartitionCounts;
import kaka.record.TopicPartition;

/**
 * Everything that others need of a partition: where to send commands, and what can be read without asking. Safe from any
 * thread; the view is replaced by the partition's actor alone.
 */
public final class PartitionHandle {
  private final TopicPartition id;
  private final PartitionCounts counts = new PartitionCounts();
  private volatile PartitionView view = PartitionView.OPENING;
  private volatile ActorRef<PartitionActor.Command> actor;

  public PartitionHandle(TopicPartition id) {
    this.id = Objects.requireNonNull(id);
  }

  public TopicPartition id() {
    return id;
  }

  /** What went in and out of it. */
  public PartitionCounts counts() {
    return counts;
  }

  /** Wait-free; never older than the last acknowledged append that the caller has heard of. */
  public PartitionView view() {
    return view;
  }

  public ActorRef<PartitionActor.Command> actor() {
    return actor;
  }

  /** Set once by whoever spawned the actor, before the handle is handed on. */
  public void bind(ActorRef<PartitionActor.Command> actor) {
    this.actor = actor;
  }

  /** For the actor's parent, when the actor has stopped without being told to: nothing can be read or written any more. */
  public void stopped(String reason) {
    view = PartitionView.failed(Optional.empty(), reason);
  }

  void publish(PartitionView next) {
    view = next;
  }
}
