package kaka.kafka;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import kaka.connection.AnswerBuffer;
import kaka.connection.AnswerMemory;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.record.NoAllowanceException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;

/**
 * A fetch. It starts when every earlier answer is out: so a connection holds the slices of one fetch. One slice is read ahead of
 * the socket; where memory is scarce, none. Where there is too little
 * to read, and nothing has failed, it waits to be woken by a partition, no longer than was asked for; whoever has woken it is
 * asked again if that was not enough, all others are still waited for.
 */
final class FetchExchange extends Exchange {
  /** Each may have files open until the answer is out; what more partitions have comes with the next fetch. */
  private static final int MAX_READERS = 256;

  /** For a client that was told nothing for want of memory: so long it should wait before it asks again. */
  private static final int NO_MEMORY_THROTTLE_MS = 100;

  private enum Reading {
    IDLE,
    BUSY,
    RELEASED
  }

  /** What one task on the fetch dispatcher came to. */
  private sealed interface TaskResult {}

  private record Slice(ByteBuffer bytes, boolean isLast, Duration throttle) implements TaskResult {}

  private enum NoSlice implements TaskResult {
    /** Less than {@code min_bytes} are there, and waiting was possible. */
    TOO_FEW_BYTES,
    /** It has done enough for one task, or nobody waits for it any more. */
    PAUSED,
    /** There is room for the next slice only when the socket has taken the last one. */
    LATER,
    NO_MEMORY
  }

  private final Call call;
  private final Connection connection;
  private final FetchRequestData request;
  private final List<FetchedPartition> partitions;
  private final int maxBytes;
  private final String client; // who pays for the answer
  private final Wait[] waits;
  private final AtomicReference<Reading> reading = new AtomicReference<>(Reading.IDLE);
  private final AnswerMemory memory;
  private volatile FetchAnswer answer;
  private long deadlineNs;
  private int waitCount;
  private boolean isTiming;

  /** A task's result has not come back yet. */
  private boolean reads;

  private int transitBytes; // of the last slice, while the socket may not have taken it
  private ByteBuffer ready;
  private boolean lastIsReady;
  private boolean started; // something of the answer was read
  private boolean isDeferred; // until the last slice is with the kernel

  /** @param maxBytes bound on the records of the answer, but for the first batch */
  FetchExchange(Call call, FetchRequestData request, List<FetchedPartition> partitions, int maxBytes) {
    super(call.bodyBytes());
    this.call = call;
    this.connection = call.connection();
    this.memory = new AnswerMemory(call.services().slices());
    this.request = request;
    this.partitions = partitions;
    this.maxBytes = maxBytes;
    this.client = connection.quota().client();
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
    return request.minBytes() > 0 && connection.mayWait() && System.nanoTime() - deadlineNs < 0;
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
      this.id = connection.expect(this);
      partition.actor().tell(new PartitionActor.AwaitRecords(offset, partitions.get(index).isolation(), id, connection.partitionReplies()));
    }

    void cancel() {
      connection.forget(id);
      partition.actor().tell(new PartitionActor.CancelAwait(id, connection.partitionReplies()));
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
      if (!reads) {
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
      connection.startTimer(this, Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), this::onTimeout);
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
      connection.stopTimer(this);
    }
  }

  /** Answers with what there is. */
  private void onTimeout() {
    isTiming = false;
    if (!reads) { // else what it comes to is told as it is
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
    int room = connection.quota().fetchRoom(client, maxBytes);
    long leastBytes = mayWait ? Math.min(request.minBytes(), room) : 0;
    read(
        () -> {
          if (!memory.begin()) {
            return NoSlice.NO_MEMORY;
          }
          int readers = 0;
          long availableBytes = 0;
          for (FetchedPartition partition : partitions) {
            if (partition.hasRecords() && readers < MAX_READERS) {
              availableBytes += partition.open(topics, call.side());
              readers++;
            }
          }
          if (availableBytes < leastBytes && partitions.stream().noneMatch(FetchedPartition::hasFailed)) {
            return NoSlice.TOO_FEW_BYTES;
          }
          FetchAnswer opened = new FetchAnswer(call, client, memory, partitions, room, availableBytes);
          answer = opened;
          return nextSlice(opened, 0);
        });
  }

  /** @param transitBytes of the slice that the socket may not have taken yet */
  private TaskResult nextSlice(FetchAnswer answer, int transitBytes) throws IOException {
    int sliceBytes = memory.nextSlice(answer, transitBytes);
    if (sliceBytes == 0) {
      return NoSlice.LATER;
    }
    Optional<ByteBuffer> bytes;
    try {
      bytes = answer.next(sliceBytes);
    } catch (NoAllowanceException e) { // of the answer's head: nothing is sent yet
      return NoSlice.NO_MEMORY;
    }
    memory.settle(answer, transitBytes + bytes.map(ByteBuffer::capacity).orElse(0));
    return bytes.isPresent() ? new Slice(bytes.get(), answer.isExhausted(), answer.throttle()) : NoSlice.PAUSED;
  }

  /** One task. While it runs, the readers and their memory are its own: it lets go of them if the connection has ended. */
  private void read(Callable<TaskResult> next) {
    reading.set(Reading.BUSY);
    reads = true;
    connection.read(
        () -> {
          try {
            return reading.get() == Reading.RELEASED ? NoSlice.PAUSED : next.call();
          } finally {
            if (!reading.compareAndSet(Reading.BUSY, Reading.IDLE)) {
              letGo();
            }
          }
        },
        this::onRead,
        connection::abort); // what can be told to the client was; the rest of the answer cannot be read
  }

  private void readOn(int transitBytes) {
    FetchAnswer slices = answer;
    read(() -> nextSlice(slices, transitBytes));
  }

  private void onRead(TaskResult result) {
    reads = false;
    if (result instanceof Slice slice) {
      cancelWaits();
      if (!started) {
        started = true;
        connection.quota().mute(slice.throttle());
      }
      ready = slice.bytes();
      lastIsReady = slice.isLast();
    } else if (result == NoSlice.PAUSED) {
      readOn(transitBytes); // behind the tasks of others
    } else if (result == NoSlice.LATER) {
      isDeferred = true;
    } else if (result == NoSlice.NO_MEMORY) {
      letGo();
      answer(noMemory());
    } else {
      letGo();
      if (mayWait()) {
        await();
      } else {
        attempt(); // the stop, or the time-out, came during the read: with what there is
      }
    }
  }

  /** Nothing has failed: the client is told that there is nothing now, and to ask again a little later. */
  private FetchResponseData noMemory() {
    partitions.forEach(FetchedPartition::readNothing);
    return FetchAnswer.response(partitions).setThrottleTimeMs(NO_MEMORY_THROTTLE_MS);
  }

  private void answer(FetchResponseData response) {
    cancelWaits();
    ready = ByteBuffer.wrap(call.frame(response).write((records, at) -> {}));
    lastIsReady = true;
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    transitBytes = 0; // there is room: what went before is with the kernel
    if (ready == null) {
      if (isDeferred) {
        isDeferred = false;
        readOn(0);
      }
      return false;
    }
    if (!out.addSlice(ready)) {
      return false;
    }
    transitBytes = ready.capacity();
    ready = null;
    if (lastIsReady) {
      partitions.forEach(partition -> partition.count(call.services().metrics().requests()));
      return true;
    }
    if (memory.isScarce()) {
      isDeferred = true;
      memory.settle(answer, transitBytes);
    } else {
      readOn(transitBytes); // one slice ahead of the socket
    }
    return false;
  }

  // ---------------------------------------------------------------- end

  @Override
  protected void release() {
    cancelWaits();
    if (reading.getAndSet(Reading.RELEASED) == Reading.IDLE) {
      letGo();
    }
  }

  private void letGo() {
    for (FetchedPartition partition : partitions) {
      try {
        partition.close();
      } catch (IOException e) {
        call.side().readFailed("closing a segment", e);
      }
    }
    memory.end();
  }
}
