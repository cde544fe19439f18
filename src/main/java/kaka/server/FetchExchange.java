package kaka.server;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import kaka.connection.AnswerBuffer;
import kaka.connection.AnswerMemory;
import kaka.connection.Connection;
import kaka.connection.Exchange;
import kaka.connection.ReplyTarget;
import kaka.log.Isolation;
import kaka.log.LogSnapshot;
import kaka.log.StaleSnapshotException;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionState;
import kaka.partition.PartitionView;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.NoAllowanceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fetch. It starts when every earlier answer is out: so a connection holds the slices of one fetch, however many are
 * pipelined. One slice is read ahead of the socket; where memory is scarce, none. At the end of the log it waits for the next high watermark, woken by the partition, no longer than asked for.
 */
final class FetchExchange extends Exchange implements ReplyTarget {
  private static final Logger LOG = LoggerFactory.getLogger(FetchExchange.class);

  /** What the answer consists of. */
  enum Form {
    RECORDS,
    BATCHES
  }

  private enum Reading {
    IDLE,
    BUSY,
    RELEASED
  }

  /** What one task on the fetch dispatcher came to. */
  private sealed interface TaskResult {}

  private record Slice(ByteBuffer bytes, boolean isLast, long recordCount) implements TaskResult {}

  private enum NoSlice implements TaskResult {
    /** Less than {@code min_bytes} are there, and waiting was possible. */
    TOO_FEW_BYTES,
    /** Up to the end there is no record, but ends of transactions, or what was aborted. */
    NO_RECORDS,
    /** It has read enough for one task, or nobody waits for it any more. */
    PAUSED,
    /** There is room for the next slice only when the socket has taken the last one. */
    LATER,
    NO_MEMORY
  }

  private final Connection connection;
  private final PartitionHandle partition;
  private final Fetch fetch;
  private final Form form;
  private final AtomicReference<Reading> reading = new AtomicReference<>(Reading.IDLE);
  private final String client; // who pays for the answer
  private final int mostBytes;
  private final AnswerMemory memory;
  private long deadlineNs;
  private long waitId = -1;
  private volatile AnswerSource source;
  private int transitBytes; // of the last slice, while the socket may not have taken it
  private ByteBuffer ready;
  private boolean lastIsReady;
  private boolean isDeferred; // until the last slice is with the kernel
  private boolean started;
  private long sentBytes;
  private LogSnapshot readFrom;
  private LogSnapshot shown; // at the last look
  private long answeredBytes;
  private long skippedTo; // from the fetch offset to there is no record

  FetchExchange(Connection connection, PartitionHandle partition, Fetch fetch, Form form, int bodyBytes) {
    super(bodyBytes);
    this.connection = connection;
    this.partition = partition;
    this.fetch = fetch;
    this.form = form;
    this.client = connection.quota().client();
    this.mostBytes = Math.min(fetch.maxBytes(), connection.services().config().maxFetchBytes());
    this.memory = new AnswerMemory(connection.services().slices());
  }

  @Override
  protected void onOldest() {
    Duration maxWait = connection.services().config().maxFetchWait();
    deadlineNs = System.nanoTime() + Math.min(maxWait.toNanos(), fetch.maxWaitMs() * 1_000_000L);
    attempt();
  }

  private void attempt() {
    PartitionView view = partition.view();
    if (view.snapshot().isEmpty()) {
      answer(Answers.unusable(connection.services().routes().table(), partition));
      return;
    }
    shown = view.snapshot().get();
    LogSnapshot snapshot = shown.committed();
    long readOffset = Math.max(Math.max(fetch.fetchOffset(), skippedTo), snapshot.logStartOffset());
    if (readOffset < snapshot.highWatermark()) {
      open(snapshot, readOffset);
    } else if (mayWait(view)) {
      await(Math.max(readOffset, snapshot.highWatermark()));
    } else {
      answer(nothing(snapshot));
    }
  }

  private boolean mayWait(PartitionView view) {
    return view.state() == PartitionState.WRITABLE && connection.mayWait() && System.nanoTime() - deadlineNs < 0;
  }

  private byte[] nothing(LogSnapshot snapshot) {
    return switch (form) {
      case RECORDS -> {
        byte[] frame = new byte[Records.FRAME_HEADER_BYTES];
        Records.encodeFrameHeader(frame, 0, 0, fetch.fetchOffset(), 0);
        yield frame;
      }
      case BATCHES -> {
        byte[] frame = new byte[RecordBatches.FRAME_HEADER_BYTES];
        RecordBatches.encodeFrameHeader(frame, 0, 0, snapshot.logStartOffset(), snapshot.highWatermark());
        yield frame;
      }
    };
  }

  // ---------------------------------------------------------------- waiting

  /** Until the high watermark is above {@code offset}, or time is up. */
  private void await(long offset) {
    waitId = connection.expect(this);
    partition.actor().tell(new PartitionActor.AwaitRecords(offset, Isolation.COMMITTED, waitId, connection.partitionReplies()));
    connection.startTimer(this, Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), this::onTimeout);
  }

  private void cancelWait() {
    if (waitId >= 0) {
      connection.stopTimer(this);
      connection.forget(waitId);
      partition.actor().tell(new PartitionActor.CancelAwait(waitId, connection.partitionReplies()));
      waitId = -1;
    }
  }

  private void onTimeout() {
    cancelWait();
    attempt();
  }

  /** Answers with what there is. */
  @Override
  protected void stopWaiting() {
    if (waitId >= 0) {
      onTimeout();
    }
  }

  @Override
  public void onPartitionReply(PartitionReply reply) {
    connection.stopTimer(this);
    waitId = -1;
    attempt();
  }

  @Override
  public ActorRef<?> asked() {
    return partition.actor();
  }

  @Override
  public void onStopped() {
    connection.stopTimer(this);
    waitId = -1;
    answer(Answers.unusable(connection.services().routes().table(), partition));
  }

  // ---------------------------------------------------------------- reading

  private void open(LogSnapshot snapshot, long readOffset) {
    // An answer of max_bytes is full, however many more bytes the client would like to wait for.
    int maxBytes = connection.quota().fetchRoom(client, mostBytes);
    long leastBytes = mayWait(partition.view()) ? Math.min(fetch.minBytes(), maxBytes) : 0;
    read(
        () -> {
          if (!memory.begin()) {
            return NoSlice.NO_MEMORY;
          }
          AnswerSource opened = openSource(snapshot, readOffset, maxBytes);
          source = opened;
          return opened.availableBytes() < leastBytes ? NoSlice.TOO_FEW_BYTES : nextSlice(opened, 0);
        },
        snapshot);
  }

  /** @param transitBytes of the slice that the socket may not have taken yet */
  private TaskResult nextSlice(AnswerSource source, int transitBytes) throws IOException {
    int sliceBytes = memory.nextSlice(source, transitBytes);
    if (sliceBytes == 0) {
      return NoSlice.LATER;
    }
    Optional<ByteBuffer> bytes = source.next(sliceBytes);
    memory.settle(source, transitBytes + bytes.map(ByteBuffer::capacity).orElse(0));
    if (bytes.isPresent() && source.isNothing()) {
      return NoSlice.NO_RECORDS;
    }
    return bytes.isPresent() ? new Slice(bytes.get(), source.isExhausted(), source.recordCount()) : NoSlice.PAUSED;
  }

  private AnswerSource openSource(LogSnapshot snapshot, long readOffset, int maxBytes) throws IOException {
    return switch (form) {
      case RECORDS -> new RecordsSource(snapshot, fetch, readOffset, maxBytes, connection.services().memory());
      case BATCHES -> new BatchesSource(snapshot, readOffset, maxBytes);
    };
  }

  /** One task. While it runs, the source and its memory are its own: it lets go of them if the connection has ended. */
  private void read(Callable<TaskResult> next, LogSnapshot snapshot) {
    readFrom = snapshot;
    reading.set(Reading.BUSY);
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
        result -> onRead(result, snapshot),
        failure -> onReadFailed(failure, snapshot));
  }

  private void readOn(LogSnapshot snapshot, int transitBytes) {
    AnswerSource slices = source;
    read(() -> nextSlice(slices, transitBytes), snapshot);
  }

  private void onRead(TaskResult result, LogSnapshot snapshot) {
    if (result instanceof Slice slice) {
      ready = slice.bytes();
      lastIsReady = slice.isLast();
      answeredBytes += slice.bytes().limit();
      if (slice.isLast()) {
        partition.counts().fetched(slice.recordCount(), answeredBytes);
      }
    } else if (result == NoSlice.PAUSED) {
      readOn(snapshot, transitBytes); // behind the tasks of others
    } else if (result == NoSlice.LATER) {
      isDeferred = true;
    } else if (result == NoSlice.NO_MEMORY) {
      answer(Answers.noMemory());
    } else if (result == NoSlice.NO_RECORDS && !mayWait(partition.view())) {
      closeSource();
      answer(nothing(snapshot));
    } else {
      if (result == NoSlice.NO_RECORDS) {
        skippedTo = snapshot.highWatermark();
      }
      letGo();
      if (mayWait(partition.view())) {
        await(snapshot.highWatermark());
      } else {
        attempt(); // the stop, or the time-out, came during the read: with what there is
      }
    }
  }

  private void onReadFailed(Throwable failure, LogSnapshot snapshot) {
    if (!started && failure instanceof NoAllowanceException) { // a compressed batch is first, and there is no room for it
      answer(Answers.noMemory());
      return;
    }
    if (started || !(failure instanceof IOException)) {
      connection.abort(failure);
      return;
    }
    if (failure instanceof StaleSnapshotException && !partition.view().snapshot().equals(Optional.of(shown))) {
      letGo();
      attempt(); // retention took the segment between the look and the read: there is a newer snapshot
      return;
    }
    answer(Answers.error(ErrorCode.STORAGE, partition.id() + ": " + failure.getMessage()));
  }

  private void answer(byte[] frame) {
    RefusalCount.count(connection, frame);
    ready = ByteBuffer.wrap(frame);
    lastIsReady = true;
  }

  @Override
  protected boolean writeTo(AnswerBuffer out) {
    transitBytes = 0; // there is room: what went before is with the kernel
    if (ready == null) {
      if (isDeferred) {
        isDeferred = false;
        readOn(readFrom, 0);
      }
      return false;
    }
    if (!out.addSlice(ready)) {
      return false;
    }
    sentBytes += ready.limit();
    transitBytes = ready.capacity();
    ready = null;
    started = true;
    if (lastIsReady) {
      connection.quota().mute(connection.quota().fetched(client, sentBytes));
      return true;
    }
    if (memory.isScarce()) {
      isDeferred = true;
      memory.settle(source, transitBytes);
    } else {
      readOn(readFrom, transitBytes); // one slice ahead of the socket
    }
    return false;
  }

  // ---------------------------------------------------------------- end

  @Override
  protected void release() {
    cancelWait();
    if (reading.getAndSet(Reading.RELEASED) == Reading.IDLE) {
      letGo();
    }
  }

  private void letGo() {
    closeSource();
    memory.end();
  }

  private void closeSource() {
    AnswerSource open = source;
    if (open != null) {
      source = null;
      try {
        open.close();
      } catch (IOException e) {
        LOG.warn("segment not released partition={} cause={}", partition.id(), e.toString());
      }
    }
  }
}
