package kaka.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.RecordBatches;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/**
 * Fetches one partition, ahead of who reads it and within a bound. It has a connection of its own: a fetch that waits at the
 * end holds back every answer behind it. On the loop's thread but for what is volatile.
 *
 * <p>A failure stops it until {@link #resume}; it goes on where it was.
 */
final class PartitionFetcher {
  /** Gets what was fetched, on the loop's thread. */
  interface Sink {
    void fetched(PartitionFetcher fetcher, FetchedBatches batches);

    void failed(PartitionFetcher fetcher, KakaException failure);
  }

  private final SelectorLoop loop;
  private final ClientConfig clientConfig;
  private final TopicPartition partition;
  private final StartPosition start;
  private final RequestLink link;
  private final int wantedBytes;
  private final Duration maxWait;
  private final Sink sink;
  private OptionalLong nextOffset = OptionalLong.empty();
  private int fetchBytes;
  private long prefetchBytes;
  private long bufferedBytes;
  private boolean isAsking;
  private boolean isStopped;
  private int failures;
  private volatile OptionalLong position = OptionalLong.empty();
  private volatile OptionalLong highWatermark = OptionalLong.empty();

  /** @param prefetchBytes this partition's share */
  PartitionFetcher(
      SelectorLoop loop,
      ClientConfig clientConfig,
      ConsumerConfig config,
      TopicPartition partition,
      StartPosition start,
      long prefetchBytes,
      Sink sink) {
    this.loop = loop;
    this.clientConfig = clientConfig;
    this.partition = partition;
    this.start = start;
    this.link = new RequestLink(loop, clientConfig);
    this.wantedBytes = config.fetchBytes();
    share(prefetchBytes);
    this.maxWait = config.maxWait();
    this.sink = sink;
  }

  /** Its share from now on; what was fetched before counts against it. */
  void share(long prefetchBytes) {
    this.prefetchBytes = prefetchBytes;
    this.fetchBytes = (int) Math.min(wantedBytes, prefetchBytes);
  }

  TopicPartition partition() {
    return partition;
  }

  /** The offset of the next record that {@code poll} will give; empty as long as the start is not resolved. */
  OptionalLong position() {
    return position;
  }

  /** One past the newest record there was when the broker last answered; empty before it has. */
  OptionalLong highWatermark() {
    return highWatermark;
  }

  /** Asks for more, if there is room and nothing is being asked. */
  void fetch() {
    if (isAsking || isStopped || bufferedBytes > 0 && bufferedBytes + fetchBytes > prefetchBytes) {
      return;
    }
    isAsking = true;
    if (nextOffset.isEmpty()) {
      resolveStart();
      return;
    }
    long fetchOffset = nextOffset.getAsLong();
    Fetch fetch = new Fetch(partition, fetchOffset, fetchBytes, (int) maxWait.toMillis(), 1);
    link.ask(new FetchBatches(fetch), RecordBatches.class, maxWait)
        .whenComplete((answer, failure) -> answered(fetchOffset, answer, failure));
  }

  private void resolveStart() {
    CompletableFuture<Long> resolved;
    if (start instanceof StartPosition.AtOffset at) {
      resolved = CompletableFuture.completedFuture(at.offset());
    } else if (start instanceof StartPosition.AtTime at) {
      resolved = ask(Math.max(0, at.timestampMs()));
    } else {
      resolved = ask(start instanceof StartPosition.Latest ? OffsetForTime.LATEST : OffsetForTime.EARLIEST);
    }
    resolved.whenComplete(
        (offset, failure) -> {
          isAsking = false;
          if (failure != null) {
            failed(KakaException.of(failure));
          } else {
            nextOffset = OptionalLong.of(offset);
            position = nextOffset;
            fetch();
          }
        });
  }

  private CompletableFuture<Long> ask(long time) {
    return link.ask(new OffsetForTime(partition, time), OffsetForTimeReply.class, Duration.ZERO)
        .thenApply(OffsetForTimeReply::offset);
  }

  private void answered(long fetchOffset, RecordBatches answer, Throwable failure) {
    isAsking = false;
    if (failure != null) {
      failed(KakaException.of(failure));
      return;
    }
    highWatermark = OptionalLong.of(answer.highWatermark());
    if (fetchOffset > answer.highWatermark()) {
      String what = "offset " + fetchOffset + " of " + partition + " is beyond its end, " + answer.highWatermark();
      failed(KakaException.refused(ErrorCode.OFFSET_OUT_OF_RANGE.code(), what));
      return;
    }
    failures = 0;
    FetchedBatches fetched = new FetchedBatches(partition, fetchOffset, answer);
    nextOffset = OptionalLong.of(fetched.nextOffset());
    if (!fetched.isEmpty()) {
      bufferedBytes += fetched.sizeBytes();
      sink.fetched(this, fetched);
    } else if (bufferedBytes == 0) {
      position = nextOffset;
    }
    fetch();
  }

  private void failed(KakaException failure) {
    if (!isStopped) {
      isStopped = true;
      failures++;
      sink.failed(this, failure);
    }
  }

  /** {@code poll} is about to give records out, or has taken them back. From any thread, one after the other. */
  void moveTo(long position) {
    this.position = OptionalLong.of(position);
  }

  /** {@code poll} has given all of {@code batches} out. From any thread. */
  void exhausted(FetchedBatches batches) {
    try {
      loop.execute(
          () -> {
            bufferedBytes -= batches.sizeBytes();
            fetch();
          });
    } catch (RejectedExecutionException e) {
      // the client is closed; what was fetched before may still be given out
    }
  }

  /** Goes on after a failure that {@code poll} has given out, after a pause. */
  void resume() {
    loop.schedule(
        clientConfig.backoff(failures),
        () -> {
          isStopped = false;
          fetch();
        });
  }

  void close(KakaException reason) {
    isStopped = true;
    link.close(reason);
  }
}
