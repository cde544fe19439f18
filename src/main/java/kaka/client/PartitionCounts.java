package kaka.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import kaka.protocol.ErrorCode;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;

/**
 * How many partitions each topic has, asked once and remembered.
 *
 * <p>A topic that does not exist counts as one of a single partition, since producing to its partition 0 creates it where the
 * broker allows that; its real number is asked for once it {@link #exists}.
 */
final class PartitionCounts {
  /** @param isAssumed the topic does not exist yet */
  record Count(int partitions, boolean isAssumed) {}

  private final RequestLink link;
  private final Map<String, CompletableFuture<Count>> counts = new ConcurrentHashMap<>();

  PartitionCounts(RequestLink link) {
    this.link = link;
  }

  /** Of {@code topic}. A failure is not remembered. */
  CompletableFuture<Count> of(String topic) {
    CompletableFuture<Count> known = counts.get(topic);
    return known != null ? known : ask(topic);
  }

  private CompletableFuture<Count> ask(String topic) {
    CompletableFuture<Count> future = new CompletableFuture<>();
    CompletableFuture<Count> other = counts.putIfAbsent(topic, future);
    if (other != null) {
      return other;
    }
    link.ask(new Metadata(List.of(topic)), MetadataReply.class, Duration.ZERO)
        .thenApply(reply -> count(topic, reply))
        .whenComplete(
            (count, failure) -> {
              if (failure == null) {
                future.complete(count);
              } else {
                counts.remove(topic, future);
                future.completeExceptionally(KakaException.of(failure));
              }
            });
    return future;
  }

  private static Count count(String topic, MetadataReply reply) {
    MetadataReply.Topic found =
        reply.topics().stream()
            .filter(each -> each.name().equals(topic))
            .findFirst()
            .orElseThrow(() -> new KakaException(KakaException.Reason.BAD_ANSWER, "METADATA is silent about " + topic));
    if (found.error() == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code()) {
      return new Count(1, true);
    }
    if (found.error() != 0 || found.partitions() < 1) {
      throw KakaException.refused(found.error(), "topic " + topic);
    }
    return new Count(found.partitions(), false);
  }

  /** What is being asked right now, if anything is: complete with the first answer. */
  Optional<CompletableFuture<Void>> anyAsked() {
    CompletableFuture<?>[] asked =
        counts.values().stream().filter(count -> !count.isDone()).toArray(CompletableFuture<?>[]::new);
    return asked.length == 0 ? Optional.empty() : Optional.of(CompletableFuture.anyOf(asked).thenApply(any -> null));
  }

  /** The topic was met: if its number of partitions was only assumed, the next question asks the broker. */
  void exists(String topic) {
    CompletableFuture<Count> count = counts.get(topic);
    if (count != null && count.isDone() && !count.isCompletedExceptionally() && count.join().isAssumed()) {
      counts.remove(topic, count);
    }
  }

  /** The next question asks the broker again. */
  void forget(String topic) {
    counts.remove(topic);
  }
}
