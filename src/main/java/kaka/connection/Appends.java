package kaka.connection;

import akka.actor.typed.ActorRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaka.partition.MemoryBudget;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.record.RecordBatch;

/**
 * A connection's batches on their way to their partitions: gathered until the socket read is used up, then sent as one message
 * per partition, whose reply settles them all.
 */
public final class Appends {
  /** Whoever waits for one batch; exactly one of these is called, once, or none if the connection ends. */
  public interface Waiter {
    /** The batch is on disk from {@code baseOffset} on, now or from an earlier try. */
    void stored(long baseOffset);

    void notStored(PartitionReply.NotStored reason);

    void refused(PartitionHandle partition, Refusal reason);

    /** The partition's actor has stopped: it was deleted, or failed. */
    void stopped(PartitionHandle partition);
  }

  private final Connection connection;
  private final Map<PartitionHandle, Group> groups = new LinkedHashMap<>();

  public Appends(Connection connection) {
    this.connection = connection;
  }

  /** @param batch in bytes of its own, charged to the memory budget: the charge is the partition's from here on */
  public void add(PartitionHandle partition, RecordBatch batch, Waiter waiter) {
    groups.computeIfAbsent(partition, Group::new).add(batch, waiter);
  }

  /** Sends what was gathered. */
  public void dispatch() {
    if (groups.isEmpty()) {
      return;
    }
    groups.values().forEach(this::send);
    groups.clear();
  }

  private void send(Group group) {
    MemoryCharge charge = MemoryCharge.ofReserved(connection.services().memory(), group.sizeBytes, MemoryBudget.Use.PRODUCE);
    long id = connection.expect(new InFlight(group.partition, group.waiters, charge));
    group.partition.actor().tell(new PartitionActor.Append(group.batches, charge, id, connection.partitionReplies()));
  }

  /** The connection has ended: what was gathered and not sent is let go. */
  public void end() {
    groups.values().forEach(group -> connection.services().memory().release(group.sizeBytes));
    groups.clear();
  }

  private static final class Group {
    private final PartitionHandle partition;
    private final List<RecordBatch> batches = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private long sizeBytes;

    Group(PartitionHandle partition) {
      this.partition = partition;
    }

    void add(RecordBatch batch, Waiter waiter) {
      batches.add(batch);
      sizeBytes += batch.sizeBytes();
      waiters.add(waiter);
    }
  }

  /**
   * Keeps no batch: they are the partition's now.
   *
   * @param charge of the batches, the partition's to give back, unless it has stopped: a message that meets a mailbox while it closes
   *     may be nobody's dead letter
   */
  private record InFlight(PartitionHandle partition, List<Waiter> waiters, MemoryCharge charge) implements ReplyTarget {
    @Override
    public void onPartitionReply(PartitionReply reply) {
      if (reply instanceof PartitionReply.Appended appended) {
        for (int i = 0; i < waiters.size(); i++) {
          waiters.get(i).stored(appended.baseOffsets().get(i));
        }
      } else if (reply instanceof PartitionReply.PartlyAppended partly) {
        for (int i = 0; i < waiters.size(); i++) {
          settle(waiters.get(i), partly.outcomes().get(i));
        }
      } else if (reply instanceof PartitionReply.Refused refused) {
        waiters.forEach(waiter -> waiter.refused(partition, refused.reason()));
      } else {
        throw new IllegalStateException("not an answer to an append: " + reply);
      }
    }

    private static void settle(Waiter waiter, PartitionReply.BatchOutcome outcome) {
      if (outcome instanceof PartitionReply.Stored stored) {
        waiter.stored(stored.baseOffset());
      } else if (outcome instanceof PartitionReply.NotStored refused) {
        waiter.notStored(refused);
      }
    }

    @Override
    public ActorRef<?> asked() {
      return partition.actor();
    }

    @Override
    public void onStopped() {
      charge.release();
      waiters.forEach(waiter -> waiter.stopped(partition));
    }
  }
}
