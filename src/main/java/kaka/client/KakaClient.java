package kaka.client;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import kaka.client.KakaException.Reason;
import kaka.protocol.HelloReply;
import kaka.record.TopicPartition;
import kaka.socket.SelectorLoop;

/**
 * A broker, seen from its client: makes producers, consumers and an admin, which share one thread. Safe for use by many
 * threads.
 *
 * <pre>
 * try (KakaClient client = KakaClient.connect(ClientConfig.of("localhost:9092"));
 *     Producer producer = client.producer(ProducerConfig.defaults())) {
 *   producer.send(ProducerRecord.of("greetings", "hello".getBytes(UTF_8))).join();
 * }
 * </pre>
 *
 * <p>The thread is a daemon. Every producer and each partition of a consumer has a connection of its own, opened when it is
 * first needed, and again after one was lost, at the next use.
 */
public final class KakaClient implements AutoCloseable {
  private static final int IO_BUFFER_BYTES = 256 << 10;

  private final ClientConfig config;
  private final SelectorLoop loop;
  private final RequestLink link;
  private final PartitionCounts partitionCounts;
  private final Admin admin;
  private final HelloReply hello;
  private final List<Producer> producers = new CopyOnWriteArrayList<>();
  private final List<Consumer> consumers = new CopyOnWriteArrayList<>();

  private KakaClient(ClientConfig config) {
    this.config = config;
    try {
      this.loop = SelectorLoop.crashing("kaka-client", IO_BUFFER_BYTES);
    } catch (IOException e) {
      throw new KakaException(Reason.NOT_CONNECTED, "no selector: " + e.getMessage(), e);
    }
    this.link = new RequestLink(loop, config);
    this.partitionCounts = new PartitionCounts(link, config.metadataRefresh());
    this.admin = new Admin(link, partitionCounts);
    loop.start(this::onStop);
    try {
      this.hello = KakaException.await(link.connect());
    } catch (KakaException e) {
      loop.close();
      throw e;
    }
  }

  /**
   * Connects, and waits until the broker has answered.
   *
   * @throws KakaException if it does not within the connect timeout, or is none
   */
  public static KakaClient connect(ClientConfig config) {
    return new KakaClient(config);
  }

  /**
   * A new producer; closed with this client, if not before.
   *
   * @throws IllegalStateException if the library of its codec cannot be loaded here
   */
  public Producer producer(ProducerConfig producerConfig) {
    Producer producer = new Producer(loop, config, producerConfig, partitionCounts, hello);
    producers.removeIf(Producer::isClosed);
    producers.add(producer);
    return producer;
  }

  /**
   * A new consumer, which starts to fetch at once; closed with this client, if not before.
   *
   * @param startPositions the partitions, at least one, and where to start in each
   */
  public Consumer consumer(ConsumerConfig consumerConfig, Map<TopicPartition, StartPosition> startPositions) {
    try {
      Consumer consumer = new Consumer(loop, config, consumerConfig, startPositions, partitionCounts);
      consumers.removeIf(Consumer::isClosed);
      consumers.add(consumer);
      return consumer;
    } catch (RejectedExecutionException e) {
      throw new KakaException(Reason.CLOSED, e.getMessage(), e);
    }
  }

  /**
   * A new member of a group; it joins with its first {@code poll}. Close it, so that others get its partitions at once.
   *
   * @param listener hears what partitions it has
   */
  public GroupConsumer groupConsumer(GroupConsumerConfig groupConfig, GroupConsumer.Listener listener) {
    return new GroupConsumer(this, loop, config, link, groupConfig, listener);
  }

  public GroupAdmin groups() {
    return new GroupAdmin(link);
  }

  public Admin admin() {
    return admin;
  }

  /** The greatest frame that the broker takes, in bytes: no record is larger. */
  public int maxFrameBytes() {
    return hello.maxFrameBytes();
  }

  /** What the broker calls itself, for people. */
  public String brokerVersion() {
    return hello.brokerVersion();
  }

  private void onStop() {
    KakaException reason =
        loop.crash() == null
            ? new KakaException(Reason.CLOSED, "the client is closed")
            : new KakaException(Reason.CLOSED, "the client's thread failed: " + loop.crash(), loop.crash());
    producers.forEach(producer -> producer.abort(reason));
    consumers.forEach(consumer -> consumer.abort(reason));
    link.close(reason);
  }

  /**
   * Closes the producers, which waits for what they have taken, then the consumers, then ends the thread.
   *
   * @throws IllegalStateException on the client's own thread, if there are producers: it cannot wait for itself
   */
  @Override
  public void close() {
    producers.forEach(Producer::close);
    loop.close();
  }
}
