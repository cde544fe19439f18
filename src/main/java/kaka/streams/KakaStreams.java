package kaka.streams;

import akka.Done;
import akka.NotUsed;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import kaka.client.ConsumedRecord;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.RecordMetadata;
import kaka.client.StartPosition;
import kaka.record.TopicPartition;

/**
 * Producing and consuming as stages. Each time one of them is run it has a producer or a consumer of its own, which ends with it;
 * the client is the caller's, and has to outlive them.
 */
public final class KakaStreams {
  private KakaStreams() {}

  /**
   * Every record of the partitions, from where each is to start; at their ends it waits for more, so it never completes.
   *
   * <p>The records of a partition come in order, each once. The consumer fetches ahead as far as {@link
   * ConsumerConfig#prefetchBytes} allows, and no further without demand. Fails with a {@link kaka.client.KakaException}.
   */
  public static Source<ConsumedRecord, NotUsed> source(
      KakaClient client, ConsumerConfig config, Map<TopicPartition, StartPosition> starts) {
    return Source.unfoldResourceAsync(
            () -> CompletableFuture.completedFuture(client.consumer(config, starts)),
            consumer -> consumer.poll().thenApply(Optional::of),
            KakaStreams::close)
        .mapConcat(records -> records);
  }

  private static CompletionStage<Done> close(Consumer consumer) {
    consumer.close();
    return CompletableFuture.completedFuture(Done.getInstance());
  }

  /**
   * Sends each record, and emits, in the same order, where it is: on disk by then. Demand for more records ends where the
   * producer's buffer is full, or {@code maxUnacknowledged} are on their way.
   *
   * <p>Fails with the {@link kaka.client.KakaException} of the first record that was not stored; those after it may be, or may not.
   * When the stream fails or is cancelled, what is on its way may be stored, or may not.
   */
  public static Flow<ProducerRecord, RecordMetadata, NotUsed> flow(
      KakaClient client, ProducerConfig config, int maxUnacknowledged) {
    return Flow.lazyFlow(() -> flow(client.producer(config), maxUnacknowledged)).mapMaterializedValue(later -> NotUsed.getInstance());
  }

  private static Flow<ProducerRecord, RecordMetadata, NotUsed> flow(Producer producer, int maxUnacknowledged) {
    return Flow.<ProducerRecord>create()
        .mapAsync(1, record -> take(producer, record)) // one at a time, so that they are sent in their order
        .mapAsync(maxUnacknowledged, Taken::stored)
        .watchTermination(
            (none, ended) -> {
              ended.whenComplete((done, failure) -> producer.abort()); // after a normal end nothing is left to wait for
              return none;
            });
  }

  /** A record that the producer has; a future of a future would be flattened on the way. */
  private record Taken(CompletableFuture<RecordMetadata> stored) {}

  private static CompletionStage<Taken> take(Producer producer, ProducerRecord record) {
    Optional<CompletableFuture<RecordMetadata>> sent = producer.trySend(record);
    return sent.isPresent()
        ? CompletableFuture.completedFuture(new Taken(sent.get()))
        : producer.whenRoom().thenCompose(now -> take(producer, record));
  }

  /** As {@link #flow}; the stage completes when everything that was given to it is on disk. */
  public static Sink<ProducerRecord, CompletionStage<Done>> sink(KakaClient client, ProducerConfig config, int maxUnacknowledged) {
    return flow(client, config, maxUnacknowledged).toMat(Sink.ignore(), Keep.right());
  }
}
