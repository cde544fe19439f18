package kaka.console;

import akka.actor.typed.ActorRef;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import kaka.partition.MemoryBudget;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.record.Header;
import kaka.record.Partitioner;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.topic.TopicRoute;

/**
 * Produces what a request has: one batch for each partition, appended as those of any client, so that the answer means that they are on
 * disk. The partition owns a batch and its charge from then on, whatever becomes of the request.
 */
final class ProduceApi {
  private static final int MAX_RECORDS = 1000;

  private final BrokerFacts facts;
  private final Questions questions;

  ProduceApi(BrokerFacts facts, Questions questions) {
    this.facts = facts;
    this.questions = questions;
  }

  private record NewRecord(Optional<Integer> partition, long timestampMs, byte[] key, byte[] value, List<Header> headers) {}

  /** What became of one record: its offset, or why it has none. */
  private record Outcome(int partition, long offset, Optional<ApiError> error) {}

  /** The records of one partition, and which of the request's they are. */
  private static final class Part {
    private final List<Integer> numbers = new ArrayList<>();
    private final RecordBatchBuilder batch = new RecordBatchBuilder(256);
  }

  CompletionStage<ApiAnswer> produce(ApiCall call) {
    TopicRoute route = TopicsApi.find(facts.routes().table(), call.topic());
    List<NewRecord> records = records(call.body());
    int keyless = ThreadLocalRandom.current().nextInt(route.partitions().size());
    Map<Integer, Part> parts = new LinkedHashMap<>();
    for (int i = 0; i < records.size(); i++) {
      NewRecord record = records.get(i);
      if (record.key() == null && route.topic().settings().compacts()) {
        throw ApiError.badRequest("records[" + i + "].key: topic '" + call.topic() + "' is compacted, so every record needs one");
      }
      int partition = partitionOf(record, route, keyless);
      Part part = parts.computeIfAbsent(partition, unseen -> new Part());
      part.numbers.add(i);
      part.batch.append(record.timestampMs(), record.key(), record.value(), record.headers());
    }
    Outcome[] outcomes = new Outcome[records.size()];
    List<CompletableFuture<?>> appended = new ArrayList<>();
    parts.forEach((partition, part) -> appended.add(append(route, partition, part, outcomes).toCompletableFuture()));
    return CompletableFuture.allOf(appended.toArray(CompletableFuture<?>[]::new)).thenApply(all -> answer(call.topic(), outcomes));
  }

  // ---------------------------------------------------------------- what is asked for

  private static List<NewRecord> records(JsonFields body) {
    List<JsonFields> given = body.has("records") ? body.only("records").objects("records") : List.of(body);
    if (given.isEmpty() || given.size() > MAX_RECORDS) {
      throw body.expected("records", "1 to " + MAX_RECORDS + " of them");
    }
    long nowMs = System.currentTimeMillis();
    List<NewRecord> records = new ArrayList<>();
    for (JsonFields each : given) {
      each.only("key", "value", "key_encoding", "value_encoding", "headers", "partition", "timestamp");
      List<Header> headers = new ArrayList<>();
      for (JsonFields header : each.objects("headers")) {
        header.only("name", "value", "encoding");
        headers.add(new Header(header.needText("name"), bytes(header, "value", "encoding")));
      }
      Optional<Integer> partition = each.has("partition")
          ? Optional.of((int) each.needNumber("partition", 0, Integer.MAX_VALUE)) : Optional.empty();
      records.add(
          new NewRecord(
              partition,
              each.number("timestamp", 0, Long.MAX_VALUE).orElse(nowMs),
              bytes(each, "key", "key_encoding"),
              bytes(each, "value", "value_encoding"),
              headers));
    }
    return records;
  }

  /** Null for a null. */
  private static byte[] bytes(JsonFields fields, String name, String encodingName) {
    Optional<String> text = fields.text(name);
    Optional<String> encoding = fields.text(encodingName);
    if (encoding.isPresent() && !encoding.get().equals("base64") && !encoding.get().equals("utf8")) {
      throw fields.expected(encodingName, "base64 or utf8");
    }
    if (text.isEmpty()) {
      return null;
    }
    if (encoding.filter("base64"::equals).isPresent()) {
      try {
        return Base64.getDecoder().decode(text.get());
      } catch (IllegalArgumentException e) {
        throw fields.expected(name, "base64");
      }
    }
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text.get()));
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    } catch (CharacterCodingException e) { // half of a surrogate pair
      throw fields.expected(name, "whole characters");
    }
  }

  private static int partitionOf(NewRecord record, TopicRoute route, int keyless) {
    int count = route.partitions().size();
    if (record.partition().isPresent()) {
      int partition = record.partition().get();
      if (partition >= count) {
        throw ApiError.unknownPartition(route.topic().name(), partition);
      }
      return partition;
    }
    return record.key() == null ? keyless : Partitioner.partitionOf(record.key(), count);
  }

  // ---------------------------------------------------------------- what becomes of it

  private CompletionStage<?> append(TopicRoute route, int partition, Part part, Outcome[] outcomes) {
    PartitionHandle handle = route.partition(partition).orElseThrow();
    RecordBatch batch = part.batch.build().detached();
    Optional<String> tooLarge = route.topic().settings().problemOfSize(batch.sizeBytes());
    if (tooLarge.isPresent()) {
      return refused(part, partition, outcomes, ApiError.of(413, "too_large", tooLarge.get()));
    }
    Optional<MemoryCharge> charge = MemoryCharge.tryReserve(facts.memory(), batch.sizeBytes(), MemoryBudget.Use.PRODUCE);
    if (charge.isEmpty()) {
      return refused(part, partition, outcomes, ApiError.noMemory());
    }
    try {
      return questions
          .ask(
              handle.actor(),
              PartitionReply.class,
              (ActorRef<PartitionReply> self) -> new PartitionActor.Append(List.of(batch), charge.get(), 0, self))
          .thenAccept(
              reply -> {
                if (reply.isEmpty()) {
                  charge.get().release(); // a stopped partition may not have
                }
                settle(part, partition, outcomes, reply);
              });
    } catch (ApiError busy) {
      charge.get().release();
      return refused(part, partition, outcomes, busy);
    }
  }

  private static void settle(Part part, int partition, Outcome[] outcomes, Optional<PartitionReply> reply) {
    if (reply.isPresent() && reply.get() instanceof PartitionReply.Appended appended) {
      for (int i = 0; i < part.numbers.size(); i++) {
        outcomes[part.numbers.get(i)] = new Outcome(partition, appended.baseOffsets().get(0) + i, Optional.empty());
      }
    } else if (reply.isPresent() && reply.get() instanceof PartitionReply.Refused refused) {
      refused(part, partition, outcomes, of(refused.reason()));
    } else {
      refused(part, partition, outcomes, ApiError.unavailable("the partition has stopped"));
    }
  }

  private static CompletionStage<?> refused(Part part, int partition, Outcome[] outcomes, ApiError error) {
    part.numbers.forEach(number -> outcomes[number] = new Outcome(partition, -1, Optional.of(error)));
    return CompletableFuture.completedFuture(error);
  }

  /** A partition's reasons in the API's words. */
  static ApiError of(Refusal reason) {
    return switch (reason) {
      case STORAGE_FAILED -> ApiError.storage(reason.text());
      case DISK_NEARLY_FULL, UNAVAILABLE, CLOSED, TOO_MANY_TRANSACTIONS -> ApiError.unavailable(reason.text());
      case OUT_OF_ORDER_SEQUENCE, FENCED_PRODUCER, UNKNOWN_PRODUCER, INVALID_TRANSACTION -> // of producers that have an id
          ApiError.badRequest(reason.text());
    };
  }

  private static ApiAnswer answer(String topic, Outcome[] outcomes) {
    JsonWriter out = new JsonWriter();
    int status = 200;
    int retryAfterSeconds = 0;
    for (Outcome outcome : outcomes) {
      if (status == 200 && outcome.error().isPresent()) {
        outcome.error().get().writeTo(out);
        status = outcome.error().get().status();
        retryAfterSeconds = outcome.error().get().retryAfterSeconds();
      }
    }
    out.put("topic", topic).array("results");
    for (Outcome outcome : outcomes) {
      out.object().put("partition", outcome.partition());
      outcome.error().ifPresentOrElse(
          error -> out.put("error", error.code()).put("message", error.getMessage()), () -> out.put("offset", outcome.offset()));
      out.end();
    }
    return ApiAnswer.json(status, out.endArray()).retryAfter(retryAfterSeconds);
  }
}
