package kaka.server;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import kaka.connection.Connection;
import kaka.connection.ReplyTarget;
import kaka.connection.RunBuffers;
import kaka.connection.SlicedExchange;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A fetch. At the end of the log it waits for the next high watermark, woken by the partition, no longer than asked for. */
final class FetchExchange extends SlicedExchange<AnswerSource> implements ReplyTarget {
  private static final Logger LOG = LoggerFactory.getLogger(FetchExchange.class);

  /** What the answer consists of. */
  enum Form {
    RECORDS,
    BATCHES
  }

  private final PartitionHandle partition;
  private final Fetch fetch;
  private final Form form;
  private final String client; // who pays for the answer
  private final int mostBytes;
  private long deadlineNs;
  private long waitId = -1;
  private LogSnapshot readFrom;
  private LogSnapshot shown; // at the last look
  private long answeredBytes;
  private long skippedTo; // from the fetch offset to there is no record

  FetchExchange(Connection connection, PartitionHandle partition, Fetch fetch, Form form, int bodyBytes) {
    super(connection, bodyBytes);
    this.partition = partition;
    this.fetch = fetch;
    this.form = form;
    this.client = connection.quota().client();
    this.mostBytes = Math.min(fetch.maxBytes(), connection.services().config().maxFetchBytes());
  }

  @Override
  protected void onOldest() {
    Duration maxWait = connection().services().config().maxFetchWait();
    deadlineNs = System.nanoTime() + Math.min(maxWait.toNanos(), fetch.maxWaitMs() * 1_000_000L);
    attempt();
  }

  private void attempt() {
    PartitionView view = partition.view();
    if (view.snapshot().isEmpty()) {
      answer(Answers.unusable(connection().services().routes().table(), partition));
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
    return view.state() == PartitionState.WRITABLE && connection().mayWait() && System.nanoTime() - deadlineNs < 0;
  }

  private byte[] nothing(LogSnapshot snapshot) {
    return switch (form) {
      case RECORDS -> {
        byte[] frame = new byte[Records.FRAME_HEADER_BYTES];
        Records.encodeFrameHeader(ByteBuffer.wrap(frame), 0, 0, fetch.fetchOffset(), 0);
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
    waitId = connection().expect(this);
    partition.actor().tell(new PartitionActor.AwaitRecords(offset, Isolation.COMMITTED, waitId, connection().partitionReplies()));
    connection().startTimer(this, Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), this::onTimeout);
  }

  private void cancelWait() {
    if (waitId >= 0) {
      connection().stopTimer(this);
      connection().forget(waitId);
      partition.actor().tell(new PartitionActor.CancelAwait(waitId, connection().partitionReplies()));
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
    connection().stopTimer(this);
    waitId = -1;
    attempt();
  }

  @Override
  public ActorRef<?> asked() {
    return partition.actor();
  }

  @Override
  public void onStopped() {
    connection().stopTimer(this);
    waitId = -1;
    answer(Answers.unusable(connection().services().routes().table(), partition));
  }

  // ---------------------------------------------------------------- reading

  private void open(LogSnapshot snapshot, long readOffset) {
    // An answer of max_bytes is full, however many more bytes the client would like to wait for.
    int maxBytes = connection().quota().fetchRoom(client, mostBytes);
    long leastBytes = mayWait(partition.view()) ? Math.min(fetch.minBytes(), maxBytes) : 0;
    readFrom = snapshot;
    RunBuffers buffers = connection().services().slices().buffers();
    read(
        () ->
            switch (form) {
              case RECORDS -> new RecordsSource(snapshot, fetch, readOffset, maxBytes, connection().services().memory(), buffers);
              case BATCHES -> new BatchesSource(snapshot, readOffset, maxBytes, buffers);
            },
        leastBytes);
  }

  @Override
  protected void onSlice(AnswerSource source, int sliceBytes) {
    answeredBytes += sliceBytes;
    if (source.isExhausted()) {
      partition.counts().fetched(source.recordCount(), answeredBytes);
    }
  }

  @Override
  protected void onNothing(Nothing reason) {
    letGo();
    if (reason == Nothing.NO_MEMORY) {
      answer(Answers.noMemory());
      return;
    }
    boolean mayWait = mayWait(partition.view());
    if (reason == Nothing.NO_RECORDS) {
      skippedTo = readFrom.highWatermark();
      if (!mayWait) {
        answer(nothing(readFrom));
        return;
      }
    }
    if (mayWait) {
      await(readFrom.highWatermark());
    } else {
      attempt(); // the stop, or the time-out, came during the read: with what there is
    }
  }

  @Override
  protected void onReadFailed(Throwable failure) {
    if (sentBytes() > 0 || !(failure instanceof IOException)) {
      connection().abort(failure);
      return;
    }
    if (failure instanceof StaleSnapshotException && !partition.view().snapshot().equals(Optional.of(shown))) {
      letGo();
      attempt(); // retention took the segment between the look and the read: there is a newer snapshot
      return;
    }
    letGo(); // the client may be long in taking the error
    answer(Answers.error(ErrorCode.STORAGE, partition.id() + ": " + failure.getMessage()));
  }

  private void answer(byte[] frame) {
    RefusalCount.count(connection(), frame);
    complete(frame);
  }

  // ---------------------------------------------------------------- end

  @Override
  protected void onSent() {
    connection().quota().mute(connection().quota().fetched(client, sentBytes()));
  }

  @Override
  protected void release() {
    try {
      cancelWait();
    } finally {
      super.release();
    }
  }

  @Override
  protected void closeOpened() {
    answer()
        .ifPresent(
            source -> {
              try {
                source.close();
              } catch (IOException e) {
                LOG.warn("segment not released partition={} cause={}", partition.id(), e.toString());
              }
            });
  }
}
