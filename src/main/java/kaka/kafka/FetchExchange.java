package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import kaka.connection.ReplyTarget;
import kaka.connection.SlicedExchange;
import kaka.log.CleanUp;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;

/**
 * A fetch. Where there is too little to read, and nothing has failed, it waits to be woken by a partition, no longer than was asked
 * for; whoever has woken it is asked again if that was not enough, all others are still waited for.
 */
final class FetchExchange extends SlicedExchange<FetchAnswer> {
  /** Each may have files open until the answer is out; what more partitions have comes with the next fetch. */
  private static final int MAX_READERS = 256;

  /** For a client that was told nothing for want of memory: so long it should wait before it asks again. */
  private static final int NO_MEMORY_THROTTLE_MS = 100;

  private final Call call;
  private final FetchRequestData request;
  private final List<FetchedPartition> partitions;
  private final int maxBytes;
  private final String client; // who pays for the answer
  private final Wait[] waits;
  private long deadlineNs;
  private int waitCount;
  private boolean isTiming;
  private boolean started; // something of the answer was read

  /** @param maxBytes bound on the records of the answer, but for the first batch */
  FetchExchange(Call call, FetchRequestData request, List<FetchedPartition> partitions, int maxBytes) {
    super(call.connection(), call.bodyBytes());
    this.call = call;
    this.request = request;
    this.partitions = partitions;
    this.maxBytes = maxBytes;
    this.client = call.connection().quota().client();
    this.waits = new Wait[partitions.size()];
  }

  @Override
  protected void onOldest() {
    Duration maxWait = call.services().config().maxFetchWait();
    deadlineNs = System.nanoTime() + Math.min(maxWait.toNanos(), Math.max(0, request.maxWaitMs()) * 1_000_000L);
    attempt();
  }

  private void attempt() {
    Topics topics = call.topics();
    boolean mayWait = mayWait();
    boolean hasRecords = false;
    for (FetchedPartition partition : partitions) {
      partition.look(topics);
      mayWait &= !partition.hasFailed(); // an error is told at once
      hasRecords |= partition.hasRecords();
    }
    if (hasRecords) {
      open(topics, mayWait);
    } else if (mayWait) {
      await();
    } else {
      answer(FetchAnswer.response(partitions));
    }
  }

  private boolean mayWait() {
    return request.minBytes() > 0 && connection().mayWait() && System.nanoTime() - deadlineNs < 0;
  }

  // ---------------------------------------------------------------- waiting

  /** One partition is waited for. */
  private final class Wait implements ReplyTarget {
    private final int index;
    private final PartitionHandle partition;
    private final long id;

    Wait(int index, PartitionHandle partition, long offset) {
      this.index = index;
      this.partition = partition;
      this.id = connection().expect(this);
      partition.actor().tell(new PartitionActor.AwaitRecords(offset, partitions.get(index).isolation(), id, connection().partitionReplies()));
    }

    void cancel() {
      connection().forget(id);
      partition.actor().tell(new PartitionActor.CancelAwait(id, connection().partitionReplies()));
    }

    @Override
    public void onPartitionReply(PartitionReply reply) {
      onWoken();
    }

    @Override
    public void onStopped() {
      onWoken();
    }

    private void onWoken() {
      waits[index] = null;
      waitCount--;
      if (!isReading()) {
        attempt();
      }
    }

    @Override
    public ActorRef<?> asked() {
      return partition.actor();
    }
  }

  /** Every partition that is not waited for yet: until its high watermark moves, or time is up. */
  private void await() {
    if (!isTiming) {
      isTiming = true;
      connection().startTimer(this, Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), this::onTimeout);
    }
    for (int i = 0; i < waits.length; i++) {
      FetchedPartition partition = partitions.get(i);
      if (waits[i] == null && partition.isWritable()) { // one that has failed would answer at once, again and again
        waits[i] = new Wait(i, partition.handle().orElseThrow(), partition.highWatermark());
        waitCount++;
      }
    }
  }

  private void cancelWaits() {
    if (waitCount > 0) {
      for (int i = 0; i < waits.length; i++) {
        if (waits[i] != null) {
          waits[i].cancel();
          waits[i] = null;
        }
      }
      waitCount = 0;
    }
    if (isTiming) {
      isTiming = false;
      connection().stopTimer(this);
    }
  }

  /** Answers with what there is. */
  private void onTimeout() {
    isTiming = false;
    if (!isReading()) { // else what it comes to is told as it is
      attempt();
    }
  }

  @Override
  protected void stopWaiting() {
    if (isTiming) {
      onTimeout();
    }
  }

  // ---------------------------------------------------------------- reading

  private void open(Topics topics, boolean mayWait) {
    // An answer of max_bytes is full, however many more bytes the client would like to wait for.
    int room = connection().quota().fetchRoom(client, maxBytes);
    read(() -> opened(topics, room), mayWait ? Math.min(request.minBytes(), room) : 0);
  }

  private FetchAnswer opened(Topics topics, int room) {
    int readers = 0;
    long availableBytes = 0;
    for (FetchedPartition partition : partitions) {
      if (partition.hasRecords() && readers < MAX_READERS) {
        availableBytes += partition.open(topics, call.side());
        readers++;
      }
    }
    return new FetchAnswer(call, client, memory(), partitions, room, availableBytes);
  }

  @Override
  protected void onSlice(FetchAnswer answer, int sliceBytes) {
    cancelWaits();
    if (!started) {
      started = true;
      connection().quota().mute(answer.throttle());
    }
  }

  @Override
  protected void onNothing(Nothing reason) {
    letGo();
    if (reason == Nothing.NO_MEMORY) {
      answer(noMemory());
    } else if (mayWait()) {
      await();
    } else {
      attempt(); // the stop, or the time-out, came during the read: with what there is
    }
  }

  /** What can be told to the client was; the rest of the answer cannot be read. */
  @Override
  protected void onReadFailed(Throwable failure) {
    connection().abort(failure);
  }

  /** Nothing has failed: the client is told that there is nothing now, and to ask again a little later. */
  private FetchResponseData noMemory() {
    partitions.forEach(FetchedPartition::readNothing);
    return FetchAnswer.response(partitions).setThrottleTimeMs(NO_MEMORY_THROTTLE_MS);
  }

  private void answer(FetchResponseData response) {
    cancelWaits();
    complete(call.frame(response).write((records, at) -> {}));
  }

  // ---------------------------------------------------------------- end

  @Override
  protected void onSent() {
    partitions.forEach(partition -> partition.count(call.services().metrics().requests()));
  }

  @Override
  protected void release() {
    try {
      cancelWaits();
    } finally {
      super.release();
    }
  }

  @Override
  protected void closeOpened() {
    CleanUp cleanUp = new CleanUp();
    partitions.forEach(partition -> cleanUp.step(() -> close(partition)));
    cleanUp.end();
  }

  private void close(FetchedPartition partition) {
    try {
      partition.close();
    } catch (IOException e) {
      call.side().readFailed("closing a segment", e);
    }
  }
}
