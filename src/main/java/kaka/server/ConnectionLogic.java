package kaka.server;

import akka.Done;
import akka.actor.Terminated;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.stream.FlowShape;
import akka.stream.Inlet;
import akka.stream.Outlet;
import akka.stream.stage.AbstractInHandler;
import akka.stream.stage.AbstractOutHandler;
import akka.stream.stage.AsyncCallback;
import akka.stream.stage.GraphStageLogic.StageActor;
import akka.stream.stage.TimerGraphStageLogic;
import akka.util.ByteString;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionState;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.FrameCutter;
import kaka.protocol.Hello;
import kaka.protocol.MessageType;
import kaka.protocol.Metadata;
import kaka.protocol.OffsetForTime;
import kaka.protocol.ProtocolException;
import kaka.protocol.Request;
import kaka.protocol.Requests;
import kaka.record.TopicPartition;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/** The running part of a {@link ConnectionStage}; everything here is called by the stage's one thread at a time. */
final class ConnectionLogic extends TimerGraphStageLogic implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLogic.class);

  private final Inlet<ByteString> in;
  private final Outlet<ByteString> out;
  private final ConnectionServices services;
  private final String peer;
  private final CompletableFuture<Done> ended;
  private final AsyncCallback<Runnable> onStage = createAsyncCallback(this::runAndWork);

  private final FrameCutter cutter;
  private final Producing producing = new Producing(this);
  private final TopicRequests topicRequests = new TopicRequests(this);
  private final ArrayDeque<Exchange> exchanges = new ArrayDeque<>();
  private final AnswerBuffer answers = new AnswerBuffer();
  private final Map<Long, ReplyTarget> awaited = new HashMap<>();
  private final Set<PartitionHandle> watched = new HashSet<>();
  private final Map<Object, Runnable> timers = new HashMap<>();
  private StageActor stageActor;
  private ActorRef<Object> self;
  private Exchange oldest;
  private long bytesInFlight;
  private long nextId;
  private int chargedBytes;
  private boolean waitingForTopic;
  private boolean noMoreFrames;
  private boolean draining;
  private boolean over;

  ConnectionLogic(
      FlowShape<ByteString, ByteString> shape, ConnectionServices services, String peer, CompletableFuture<Done> ended) {
    super(shape);
    this.in = shape.in();
    this.out = shape.out();
    this.services = services;
    this.peer = peer;
    this.ended = ended;
    this.cutter = new FrameCutter(services.config().maxFrameBytes());
    setHandler(
        in,
        new AbstractInHandler() {
          @Override
          public void onPush() {
            byte[] bytes = grab(in).toArrayUnsafe();
            cutter.feed(bytes, 0, bytes.length);
            work();
          }

          @Override
          public void onUpstreamFinish() {
            work(); // half closed: what was asked is still answered
          }
        });
    setHandler(
        out,
        new AbstractOutHandler() {
          @Override
          public void onPull() {
            work();
          }
        });
  }

  @Override
  public void preStart() {
    stageActor =
        getStageActor(
            envelope -> {
              onMessage(envelope._2());
              return BoxedUnit.UNIT;
            });
    self = Adapter.toTyped(stageActor.ref());
    pull(in);
  }

  @Override
  public void postStop() {
    exchanges.forEach(Exchange::release);
    exchanges.clear();
    services.memory().release(chargedBytes);
    chargedBytes = 0;
    ended.complete(Done.getInstance());
  }

  /** From any thread: answers what was asked, refuses what is asked from now on, and closes. */
  void drain() {
    onStage.invoke(
        () -> {
          draining = true;
          exchanges.forEach(
              exchange -> {
                if (exchange instanceof FetchExchange fetch) {
                  fetch.drain();
                }
              });
        });
  }

  // ---------------------------------------------------------------- the loop

  private void runAndWork(Runnable event) {
    event.run();
    work();
  }

  /** After every event: cut frames as far as the window goes, send what is answered, ask for more if there is credit. */
  private void work() {
    boolean progress = true;
    while (progress && !over) {
      cut();
      producing.dispatch();
      progress = send() && !cutter.isDrained();
    }
    if (over) {
      return;
    }
    if (exchanges.isEmpty() && isInputOver()) {
      close();
    } else if (!noMoreFrames && hasCredit() && cutter.isDrained() && !isClosed(in) && !hasBeenPulled(in)) {
      pull(in);
    }
  }

  /** Whether nothing that could be asked from now on has to be answered. */
  private boolean isInputOver() {
    return noMoreFrames || (!waitingForTopic && (draining || (isClosed(in) && cutter.isDrained())));
  }

  private boolean hasCredit() {
    return !waitingForTopic
        && exchanges.size() < services.config().windowRequests()
        && bytesInFlight < services.config().windowBytes();
  }

  private void cut() {
    try {
      while (!noMoreFrames && hasCredit() && cutter.next()) {
        take(cutter.type(), cutter.array(), cutter.bodyFrom(), cutter.bodyTo());
      }
      if (cutter.firstTypeByte().orElse(1) == 0) {
        LOG.info("kafka client refused, this version speaks the native protocol only peer={}", peer);
        close();
      } else {
        charge(cutter.bufferedBytes());
      }
    } catch (ProtocolException e) {
      loseFraming(Answers.error(e));
    }
  }

  /** What is kept of a frame that is not whole yet is charged like everything else. */
  private void charge(int bufferedBytes) {
    if (bufferedBytes <= chargedBytes) {
      services.memory().release(chargedBytes - bufferedBytes);
      chargedBytes = bufferedBytes;
    } else if (services.memory().tryReserve(bufferedBytes - chargedBytes)) {
      chargedBytes = bufferedBytes;
    } else {
      loseFraming(Answers.error(ErrorCode.MEMORY, "no memory for the rest of the request, nothing was stored"));
    }
  }

  /** One more answer, after those before it, then the connection closes. */
  private void loseFraming(byte[] error) {
    add(FrameExchange.of(0, error));
    noMoreFrames = true;
  }

  private void add(Exchange exchange) {
    exchanges.add(exchange);
    bytesInFlight += exchange.requestBytes();
  }

  /** Moves answers to the socket, oldest first; true if an exchange ended, which may be credit for the next. */
  private boolean send() {
    if (!isAvailable(out)) {
      return false;
    }
    boolean ended = false;
    while (!exchanges.isEmpty() && !answers.isFull()) {
      Exchange exchange = exchanges.peek();
      if (exchange != oldest) {
        oldest = exchange;
        exchange.onOldest();
      }
      if (!exchange.writeTo(answers)) {
        break;
      }
      exchanges.remove();
      bytesInFlight -= exchange.requestBytes();
      exchange.release();
      ended = true;
    }
    if (!answers.isEmpty()) {
      push(out, answers.take());
    }
    return ended;
  }

  private void close() {
    over = true;
    cancel(in);
    complete(out);
  }

  @Override
  public void abort(Throwable reason) {
    LOG.warn("connection aborted peer={} reason={}", peer, reason.toString());
    over = true;
    failStage(reason);
  }

  // ---------------------------------------------------------------- requests

  private void take(int type, byte[] array, int from, int to) {
    int requestBytes = to - from;
    try {
      if (draining) {
        add(FrameExchange.of(requestBytes, Answers.error(ErrorCode.SHUTTING_DOWN, "the broker is stopping")));
      } else if (type == MessageType.PRODUCE || type == MessageType.PRODUCE_BATCH) {
        takeProduce(type, array, from, to);
      } else {
        takeOther(Requests.decode(type, array, from, to, services.clock().millis()), requestBytes);
      }
    } catch (ProtocolException e) {
      add(FrameExchange.of(requestBytes, Answers.error(e)));
    }
  }

  private void takeProduce(int type, byte[] array, int from, int to) throws ProtocolException {
    producing.start(type, array, from, to);
    Optional<TopicRoute> route = producing.route();
    int number = producing.partition();
    int requestBytes = to - from;
    if (isUsable(route, number)) {
      add(producing.accept(route.get().partitions().get(number), requestBytes));
    } else {
      resolve(route, new NamedPartition(producing.topic(), number), requestBytes, () -> take(type, array, from, to));
    }
  }

  private void takeOther(Request request, int requestBytes) {
    if (request instanceof Fetch fetch) {
      takeFetch(fetch, FetchExchange.Form.RECORDS, requestBytes);
    } else if (request instanceof FetchBatches batches) {
      takeFetch(batches.fetch(), FetchExchange.Form.BATCHES, requestBytes);
    } else if (request instanceof OffsetForTime offset) {
      withPartition(
          offset.partition(), requestBytes, partition -> add(topicRequests.offsetForTime(partition, offset, requestBytes)));
    } else if (request instanceof Hello hello) {
      add(topicRequests.hello(hello, requestBytes));
    } else if (request instanceof Metadata metadata) {
      add(topicRequests.metadata(metadata, requestBytes));
    } else if (request instanceof DescribeTopic describe) {
      add(topicRequests.describe(describe, requestBytes));
    } else if (request instanceof CreateTopic create) {
      add(topicRequests.create(create, requestBytes));
    } else if (request instanceof DeleteTopic delete) {
      add(topicRequests.delete(delete, requestBytes));
    } else {
      String what = "request 0x%02x: this broker has no consumer groups".formatted(request.type());
      add(FrameExchange.of(requestBytes, Answers.error(ErrorCode.UNSUPPORTED, what)));
    }
  }

  private void takeFetch(Fetch fetch, FetchExchange.Form form, int requestBytes) {
    withPartition(
        fetch.partition(), requestBytes, partition -> add(new FetchExchange(this, partition, fetch, form, requestBytes)));
  }

  private void withPartition(TopicPartition id, int requestBytes, Consumer<PartitionHandle> then) {
    Optional<TopicRoute> route = services.routes().table().find(id.topic());
    if (isUsable(route, id.partition())) {
      then.accept(route.get().partitions().get(id.partition()));
    } else {
      resolve(
          route,
          new NamedPartition(id.topic(), id.partition()),
          requestBytes,
          () -> withPartition(id, requestBytes, then));
    }
  }

  private record NamedPartition(String topic, int number) {}

  private static boolean isUsable(Optional<TopicRoute> route, int number) {
    return route.isPresent()
        && number < route.get().partitions().size()
        && route.get().partitions().get(number).view().state() != PartitionState.OPENING;
  }

  /** The rare case: there is no such topic, or not yet. Nothing more is cut until the registry has said what is so. */
  private void resolve(Optional<TopicRoute> route, NamedPartition named, int requestBytes, Runnable again) {
    if (route.isPresent() && named.number() >= route.get().partitions().size()) {
      String what = "topic '" + named.topic() + "' has " + route.get().partitions().size() + " partitions, no " + named.number();
      add(FrameExchange.of(requestBytes, Answers.error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)));
      return;
    }
    waitingForTopic = true;
    long id =
        expect(
            new ReplyTarget() {
              @Override
              public void onTopicReply(TopicReply reply) {
                waitingForTopic = false;
                if (reply instanceof TopicReply.TopicRefused refused) {
                  add(FrameExchange.of(requestBytes, Answers.error(Answers.codeOf(refused.reason()), refused.message())));
                } else {
                  again.run();
                }
              }
            });
    services.registry().tell(new TopicRegistry.EnsureTopic(named.topic(), named.number(), id, topicReplies()));
  }

  // ---------------------------------------------------------------- replies

  private void onMessage(Object message) {
    if (message instanceof PartitionReply reply) {
      Optional.ofNullable(awaited.remove(reply.correlationId())).ifPresent(target -> target.onPartitionReply(reply));
    } else if (message instanceof TopicReply reply) {
      Optional.ofNullable(awaited.remove(reply.correlationId())).ifPresent(target -> target.onTopicReply(reply));
    } else if (message instanceof Terminated terminated) {
      onPartitionStopped(terminated.getActor());
    } else {
      throw new IllegalStateException("not for a connection: " + message);
    }
    work();
  }

  private void onPartitionStopped(akka.actor.ActorRef actor) {
    watched.removeIf(partition -> Adapter.toClassic(partition.actor()).equals(actor));
    List<ReplyTarget> stranded = new ArrayList<>();
    awaited
        .values()
        .removeIf(
            target -> {
              boolean isOfIt = target.partition().map(p -> Adapter.toClassic(p.actor()).equals(actor)).orElse(false);
              return isOfIt && stranded.add(target);
            });
    stranded.forEach(ReplyTarget::onPartitionStopped);
  }

  // ---------------------------------------------------------------- for the exchanges

  @Override
  public ConnectionServices services() {
    return services;
  }

  @Override
  public ActorRef<PartitionReply> partitionReplies() {
    return self.narrow();
  }

  @Override
  public ActorRef<TopicReply> topicReplies() {
    return self.narrow();
  }

  @Override
  public long expect(ReplyTarget target) {
    awaited.put(nextId, target);
    return nextId++;
  }

  @Override
  public void forget(long correlationId) {
    awaited.remove(correlationId);
  }

  @Override
  public void watch(PartitionHandle partition) {
    if (watched.add(partition)) {
      stageActor.watch(Adapter.toClassic(partition.actor()));
    }
  }

  @Override
  public <T> void read(Callable<T> work, Consumer<T> onResult, Consumer<Throwable> onFailure) {
    services
        .fetchIo()
        .execute(
            () -> {
              try {
                T result = work.call();
                onStage.invoke(() -> onResult.accept(result));
              } catch (Throwable e) { // handed on, whatever it is: who asked must not wait for ever
                onStage.invoke(() -> onFailure.accept(e));
              }
            });
  }

  @Override
  public void startTimer(Object key, Duration delay, Runnable onDue) {
    timers.put(key, onDue);
    scheduleOnce(key, delay);
  }

  @Override
  public void stopTimer(Object key) {
    timers.remove(key);
    cancelTimer(key);
  }

  @Override
  public void onTimer(Object key) {
    Runnable onDue = timers.remove(key);
    if (onDue != null) {
      onDue.run();
      work();
    }
  }

  @Override
  public boolean isDraining() {
    return draining;
  }
}
