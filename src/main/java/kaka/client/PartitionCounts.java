package kaka.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import kaka.protocol.ErrorCode;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.record.TopicPartition;

/**
 * How many partitions each topic has, asked and remembered; asked again now and then, for a topic can get more.
 *
 * <p>A topic that does not exist yet is created first, by using it, where the broker allows that: only then is its number of
 * partitions certain, and a key that was sent by a guess would be in another partition later.
 */
final class PartitionCounts {
  private final RequestLink link;
  private final long refreshNs;
  private final Map<String, Known> counts = new ConcurrentHashMap<>();

  private record Known(CompletableFuture<Integer> count, long askedNs) {}

  PartitionCounts(RequestLink link, Duration refresh) {
    this.link = link;
    this.refreshNs = refresh.toNanos();
  }

  /** Of {@code topic}. A failure is remembered until it is {@link #told}. */
  CompletableFuture<Integer> of(String topic) {
    Known known = counts.get(topic);
    if (known == null) {
      return ask(topic);
    }
    if (System.nanoTime() - known.askedNs() > refreshNs && known.count().isDone()) {
      refresh(topic, known);
    }
    return known.count();
  }

  /** What was known is good until the answer comes, and if none does. */
  private void refresh(String topic, Known known) {
    Known asking = new Known(known.count(), System.nanoTime());
    if (counts.replace(topic, known, asking)) {
      current(topic)
          .thenAccept(
              count -> counts.replace(topic, asking, new Known(CompletableFuture.completedFuture(count), asking.askedNs())));
    }
  }

  /** As the broker has it now; creates nothing. */
  CompletableFuture<Integer> current(String topic) {
    return metadata(topic).thenApply(PartitionCounts::count);
  }

  private CompletableFuture<Integer> ask(String topic) {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    Known other = counts.putIfAbsent(topic, new Known(future, System.nanoTime()));
    if (other != null) {
      return other.count();
    }
    askBroker(topic)
        .whenComplete(
            (count, failure) -> {
              if (failure == null) {
                future.complete(count);
              } else {
                future.completeExceptionally(KakaException.of(failure));
              }
            });
    return future;
  }

  private CompletionStage<Integer> askBroker(String topic) {
    return metadata(topic)
        .thenCompose(
            found -> found.error() == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code()
                ? use(topic).thenCompose(used -> metadata(topic))
                : CompletableFuture.completedStage(found))
        .thenApply(PartitionCounts::count);
  }

  private CompletableFuture<MetadataReply.Topic> metadata(String topic) {
    return link.ask(new Metadata(List.of(topic)), MetadataReply.class, Duration.ZERO)
        .thenApply(
            reply ->
                reply.topics().stream()
                    .filter(each -> each.name().equals(topic))
                    .findFirst()
                    .orElseThrow(() -> new KakaException(KakaException.Reason.BAD_ANSWER, "METADATA is silent about " + topic)));
  }

  /** METADATA creates nothing; this question does, or its refusal says why not. */
  private CompletableFuture<OffsetForTimeReply> use(String topic) {
    OffsetForTime end = new OffsetForTime(new TopicPartition(topic, 0), OffsetForTime.LATEST);
    return link.ask(end, OffsetForTimeReply.class, Duration.ZERO);
  }

  private static int count(MetadataReply.Topic found) {
    if (found.error() != 0 || found.partitions() < 1) {
      throw KakaException.refused(found.error(), "topic " + found.name());
    }
    return found.partitions();
  }

  /**
   * Somebody who wanted {@code count} knows of its failure: the next question asks the broker again. Not earlier, or one who
   * asks without waiting would never hear of it.
   */
  void told(String topic, CompletableFuture<Integer> count) {
    counts.computeIfPresent(topic, (same, known) -> known.count() == count ? null : known);
  }

  /** What is being asked right now, if anything is: complete with the first answer. */
  Optional<CompletableFuture<Void>> anyAsked() {
    CompletableFuture<?>[] asked =
        counts.values().stream().map(Known::count).filter(count -> !count.isDone()).toArray(CompletableFuture<?>[]::new);
    return asked.length == 0 ? Optional.empty() : Optional.of(CompletableFuture.anyOf(asked).thenApply(any -> null));
  }

  /** The next question asks the broker again. */
  void forget(String topic) {
    counts.remove(topic);
  }
}
