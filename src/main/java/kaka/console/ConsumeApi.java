package kaka.console;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;
import kaka.log.Isolation;
import kaka.log.LogSnapshot;
import kaka.partition.MemoryBudget;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;

/** Hands committed records of one partition out: the next ones from an offset on, for whoever consumes with curl; or a single one. */
final class ConsumeApi {
  private static final int MAX_RECORDS = 1000;
  private static final int DEFAULT_RECORDS = 100;
  private static final int MAX_BYTES = 1 << 20;
  private static final int DEFAULT_ONE_BYTES = 64 << 10;
  private static final int MAX_WAIT_MS = 10_000;

  /** Passed over on the way to a record, such as what was aborted. */
  private static final long SCANNED_BYTES = 8 << 20;

  private static final long TIME_NS = 2_000_000_000;

  private final BrokerFacts facts;
  private final LogReads reads;
  private final Questions questions;

  ConsumeApi(BrokerFacts facts, LogReads reads, Questions questions) {
    this.facts = facts;
    this.reads = reads;
    this.questions = questions;
  }

  // ---------------------------------------------------------------- the next ones

  CompletionStage<ApiAnswer> consume(ApiCall call) {
    TopicPartition id = call.partition();
    PartitionHandle handle = TopicsApi.find(facts.routes().table(), id);
    long offset = offset(call, handle);
    int maxRecords = call.count("max_records", 1, MAX_RECORDS, DEFAULT_RECORDS);
    int maxBytes = call.count("max_bytes", 1, MAX_BYTES, (int) Math.min(MAX_BYTES, facts.memory().maxBytes() / 32));
    int waitMs = call.count("wait_ms", 0, MAX_WAIT_MS, 0);
    return awaited(handle, offset, waitMs)
        .thenCompose(come -> reads.run(() -> next(TopicsApi.find(facts.routes().table(), id), offset, maxRecords, maxBytes)));
  }

  private static long offset(ApiCall call, PartitionHandle handle) {
    String given = call.text("offset").orElse("earliest");
    return switch (given) {
      case "earliest" -> 0;
      case "latest" -> SegmentsApi.openLog(handle).lastStableOffset();
      default -> call.number("offset", 0, Long.MAX_VALUE).getAsLong();
    };
  }

  /** Completes when there is something, or the time is over. */
  private CompletionStage<Boolean> awaited(PartitionHandle handle, long offset, int waitMs) {
    if (waitMs == 0 || SegmentsApi.openLog(handle).lastStableOffset() > offset) {
      return CompletableFuture.completedFuture(true);
    }
    return questions
        .ask(
            handle.actor(),
            PartitionReply.class,
            (ActorRef<PartitionReply> self) -> new PartitionActor.AwaitRecords(offset, Isolation.COMMITTED, 0, self),
            Duration.ofMillis(waitMs),
            self -> new PartitionActor.CancelAwait(0, self))
        .thenApply(Optional::isPresent);
  }

  private ApiAnswer next(PartitionHandle handle, long offset, int maxRecords, int maxBytes) throws IOException {
    LogSnapshot log = SegmentsApi.openLog(handle).committed();
    JsonWriter out =
        new JsonWriter().put("topic", handle.id().topic()).put("partition", handle.id().partition()).array("items");
    long start = Math.max(offset, log.logStartOffset());
    long next = start;
    long deadlineNs = System.nanoTime() + TIME_NS;
    if (start < log.highWatermark()) {
      try (ReadAllowance memory = new ReadAllowance(facts.memory());
          RecordWalk walk = new RecordWalk(log, start, memory)) {
        int count = 0;
        long bytes = 0;
        boolean isFull = false;
        while (!isFull && !walk.isAtEnd()) {
          next = walk.position();
          boolean isThere = walk.next();
          long size = isThere ? sizeOf(walk) : 0;
          isFull = count > 0 && bytes + size > maxBytes; // then it is the first of the next answer
          if (isThere && !isFull) {
            write(out, handle, walk, maxBytes, memory);
            handle.counts().fetched(1, size);
            bytes += size;
            count++;
          }
          if (!isFull) {
            next = walk.position();
            isFull = count == maxRecords || walk.scannedBytes() > SCANNED_BYTES || System.nanoTime() - deadlineNs > 0;
          }
        }
      }
    }
    return ApiAnswer.ok(out.endArray().put("next_offset", next).put("high_watermark", log.highWatermark()));
  }

  private static void write(JsonWriter out, PartitionHandle handle, RecordWalk walk, int maxBytes, ReadAllowance memory)
      throws IOException {
    out.object();
    ShownRecord.of(handle.id().partition(), walk, maxBytes, memory).writeTo(out);
    out.end();
  }

  private static long sizeOf(RecordWalk walk) throws IOException {
    RecordCursor record = walk.record();
    long size = (long) Math.max(0, record.keySize()) + Math.max(0, record.valueSize());
    for (RecordCursor.HeaderView header : walk.headers(ShownRecord.MAX_HEADERS)) {
      size += header.nameSize() + Math.max(0, header.valueSize());
    }
    return size;
  }

  // ---------------------------------------------------------------- a single one

  CompletionStage<ApiAnswer> one(ApiCall call) {
    int maxBytes = call.count("max_value", 0, MAX_BYTES, DEFAULT_ONE_BYTES);
    return reads.run(
        () -> {
          try (ReadAllowance memory = new ReadAllowance(facts.memory());
              RecordWalk walk = walkTo(call, memory)) {
            JsonWriter out = new JsonWriter();
            ShownRecord.of(call.partition().partition(), walk, maxBytes, memory).writeTo(out);
            return ApiAnswer.ok(out);
          }
        });
  }

  CompletionStage<ApiAnswer> value(ApiCall call) {
    return whole(call, "value", RecordCursor::valuePosition, RecordCursor::valueSize);
  }

  CompletionStage<ApiAnswer> key(ApiCall call) {
    return whole(call, "key", RecordCursor::keyPosition, RecordCursor::keySize);
  }

  private CompletionStage<ApiAnswer> whole(
      ApiCall call,
      String what,
      ToIntFunction<RecordCursor> position,
      ToIntFunction<RecordCursor> size) {
    return reads.run(
        () -> {
          try (ReadAllowance memory = new ReadAllowance(facts.memory());
              RecordWalk walk = walkTo(call, memory)) {
            int sizeBytes = size.applyAsInt(walk.record());
            if (sizeBytes < 0) {
              throw ApiError.of(404, "unknown_record", "the record has no " + what);
            }
            MemoryCharge charge =
                MemoryCharge.tryReserve(facts.memory(), sizeBytes, MemoryBudget.Use.FETCH).orElseThrow(ApiError::noMemory);
            byte[] copy = new byte[sizeBytes];
            System.arraycopy(walk.record().array(), position.applyAsInt(walk.record()), copy, 0, sizeBytes);
            String name = call.topic() + "-" + call.partition().partition() + "-" + call.number("offset") + "-" + what;
            return ApiAnswer.file(copy, name, charge);
          }
        });
  }

  /** A walk that stands on the record. */
  private RecordWalk walkTo(ApiCall call, ReadAllowance memory) throws IOException {
    long offset = call.number("offset");
    LogSnapshot log = SegmentsApi.openLog(TopicsApi.find(facts.routes().table(), call.partition())).committed();
    if (offset < log.logStartOffset() || offset >= log.highWatermark()) {
      throw unknown(call, offset);
    }
    RecordWalk walk = new RecordWalk(log, offset, memory);
    try {
      if (walk.next() && walk.record().offset() == offset) {
        return walk;
      }
    } catch (IOException | RuntimeException e) {
      walk.close();
      throw e;
    }
    walk.close();
    throw unknown(call, offset);
  }

  private static ApiError unknown(ApiCall call, long offset) {
    return ApiError.of(404, "unknown_record", call.partition() + " has no record " + offset);
  }
}
