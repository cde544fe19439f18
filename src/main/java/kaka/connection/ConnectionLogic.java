package kaka.connection;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.stream.FlowShape;
import akka.stream.Inlet;
import akka.stream.Outlet;
import akka.stream.stage.AbstractInHandler;
import akka.stream.stage.AbstractOutHandler;
import akka.stream.stage.AsyncCallback;
import akka.stream.stage.TimerGraphStageLogic;
import akka.util.ByteString;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import kaka.group.GroupReply;
import kaka.partition.PartitionReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProtocolException;
import kaka.topic.TopicReply;
import kaka.transaction.TransactionReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * The running part of a {@link ConnectionStage}: its ports, its one loop and its end. Everything here is called by the
 * stage's one thread at a time.
 *
 * <p>A pull of the output says that the kernel has all that went before ({@code write-buffer-size}): that is when the next answer
 * is made.
 */
final class ConnectionLogic extends TimerGraphStageLogic implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLogic.class);

  /**
   * Time for the client to read what was answered last and to close. A socket closed at once, with bytes of the client's
   * unread in it, would be reset, and the answer lost on the way.
   */
  private static final Duration LINGER = Duration.ofSeconds(1);

  private enum Event {
    LINGER_OVER,
    LOOK
  }

  private final Inlet<ByteString> in;
  private final Outlet<ByteString> out;
  private final ConnectionServices services;
  private final String peer;
  private final InetSocketAddress localAddress;
  private final CompletableFuture<Done> ended;
  private final AsyncCallback<Runnable> onStage = createAsyncCallback(this::runAndWork);

  private final ConnectionInput input;
  private final ExchangeQueue exchanges;
  private final ConnectionQuota quota;
  private final Map<Object, Runnable> timers = new HashMap<>();
  private AwaitedReplies replies;
  private Intake intake; // once the first frame has said which protocol it is
  private final StuckWatch watch;
  private final WindowWatch window;
  private long chunkCount;
  private long writeCount;
  private boolean noMoreFrames;
  private boolean draining;
  private boolean closing;

  ConnectionLogic(
      FlowShape<ByteString, ByteString> shape,
      ConnectionServices services,
      InetSocketAddress remoteAddress,
      InetSocketAddress localAddress,
      CompletableFuture<Done> ended) {
    super(shape);
    this.in = shape.in();
    this.out = shape.out();
    this.services = services;
    this.peer = remoteAddress.toString();
    this.localAddress = localAddress;
    this.ended = ended;
    this.quota = new ConnectionQuota(services.quotas(), this, remoteAddress);
    this.input =
        new ConnectionInput(services.config().maxFrameBytes(), services.memory());
    this.exchanges = new ExchangeQueue(services.config().windowRequests(), services.config().windowBytes());
    this.watch = new StuckWatch(services.config().timeouts());
    this.window = new WindowWatch(services.metrics().connections(), exchanges);
    setHandler(
        in,
        new AbstractInHandler() {
          @Override
          public void onPush() {
            onReceived(grab(in));
          }

          @Override
          public void onUpstreamFinish() {
            exchanges.stopWaiting(); // half closed, or gone: what was asked is still answered, but now
            work();
          }
        });
    setHandler(
        out,
        new AbstractOutHandler() {
          @Override
          public void onPull() {
            exchanges.onWritten();
            work();
          }
        });
  }

  @Override
  public void preStart() {
    window.start();
    replies =
        new AwaitedReplies(
            getStageActor(
                envelope -> {
                  replies.onMessage(envelope._2());
                  work();
                  return BoxedUnit.UNIT;
                }));
    Duration interval = services.config().timeouts().lookInterval();
    scheduleWithFixedDelay(Event.LOOK, interval, interval);
    pull(in);
  }

  @Override
  public void postStop() {
    services.counts().sawInFlight(exchanges.peakCount());
    exchanges.endAll();
    window.end();
    if (intake != null) {
      intake.end();
    }
    input.end();
    ended.complete(Done.getInstance());
  }

  /** From any thread: answers what was asked, refuses what is asked from now on, and closes. */
  void drain() {
    onStage.invoke(
        () -> {
          draining = true;
          exchanges.stopWaiting();
        });
  }

  /** From any thread: ends at once, without another byte. */
  void stop() {
    onStage.invoke(() -> abort(new IllegalStateException("its actor has stopped")));
  }

  // ---------------------------------------------------------------- the loop

  private void runAndWork(Runnable event) {
    event.run();
    work();
  }

  private void onReceived(ByteString bytes) {
    chunkCount++;
    if (closing) {
      pullMore(); // passed over: the client is to see the end of the answers, not a reset
    } else if (!noMoreFrames) {
      input.feed(bytes);
      work();
    }
  }

  /**
   * After every event: cut frames as far as the window goes, send what is answered, ask for more if there is credit. One
   * event handles at most one chunk of the socket and two windows of requests, so that connections take turns.
   */
  private void work() {
    boolean progress = true;
    while (progress && !closing) {
      cut();
      if (intake != null) {
        intake.dispatch();
      }
      progress = send() && !input.isDrained();
    }
    window.look();
    if (closing) {
      return;
    }
    noMoreFrames |= draining && exchanges.isEmpty() && !isBlocked();
    if (exchanges.isEmpty() && isInputOver()) {
      if (isAvailable(out)) {
        close();
      }
    } else if (!noMoreFrames && hasCredit() && input.isDrained()) {
      pullMore();
    }
  }

  /** Whether nothing that could be asked from now on has to be answered. */
  private boolean isInputOver() {
    return noMoreFrames || !isBlocked() && isClosed(in) && input.isDrained();
  }

  private boolean isBlocked() {
    return intake != null && intake.isBlocked();
  }

  private boolean isOver() {
    return intake != null && intake.isOver();
  }

  private boolean hasCredit() {
    return !isBlocked() && !isMuted() && exchanges.hasCredit();
  }

  /** Who is refused anyway need not wait for it. */
  private boolean isMuted() {
    return quota.isMuted() && !draining;
  }

  private void pullMore() {
    if (!isClosed(in) && !hasBeenPulled(in)) {
      pull(in);
    }
  }

  private void cut() {
    if (noMoreFrames) {
      return;
    }
    try {
      boolean isFirst = true;
      while (hasCredit() && !isOver() && input.next()) {
        if (isFirst) {
          exchanges.arriving(System.nanoTime()); // the clock is asked once for all that are cut together
          isFirst = false;
        }
        intake().take(input.frames());
      }
      if (isOver()) {
        endInput();
      } else if (!input.charge()) {
        refuseGivenUp();
      }
    } catch (ProtocolException e) {
      loseFraming(e);
    }
  }

  /** At most one more answer, after those before it, then the end. */
  private void loseFraming(ProtocolException reason) {
    intake().framingLost(reason).ifPresent(answer -> exchanges.add(FrameExchange.of(0, answer)));
    endInput();
  }

  private Intake intake() {
    if (intake == null) {
      FrontDoor door = input.isKafka() ? services.kafkaDoor() : services.nativeDoor();
      intake = door.open(this, input, exchanges);
    }
    return intake;
  }

  private void refuseGivenUp() {
    intake().noMemory().ifPresentOrElse(answer -> exchanges.add(FrameExchange.of(0, answer)), this::endInput);
  }

  private void endInput() {
    noMoreFrames = true;
    input.end();
  }

  /** One write, if the last one is out; true if an exchange ended, which may be credit for the next. */
  private boolean send() {
    if (!isAvailable(out)) {
      return false;
    }
    boolean ended = exchanges.collect();
    if (exchanges.hasAnswers()) {
      writeCount++;
      push(out, exchanges.takeAnswers());
    }
    return ended;
  }

  // ---------------------------------------------------------------- the end

  /** Everything is answered and written. Ends at once if the client has closed its side, else when it does. */
  private void close() {
    closing = true;
    complete(out);
    pullMore();
    scheduleOnce(Event.LINGER_OVER, LINGER);
  }

  @Override
  public void abort(Throwable reason) {
    LOG.warn("connection aborted peer={} reason={}", peer, reason.toString());
    closing = true;
    failStage(reason);
  }

  /** Whether the client has made progress since the last look. */
  private void look() {
    if (closing) {
      return;
    }
    boolean isWriting = !isAvailable(out) && !isClosed(out);
    boolean isInFrame = !noMoreFrames && !isMuted() && input.isInFrame();
    boolean isIdle = !isWriting && !isInFrame && exchanges.isEmpty() && !isBlocked() && !isMuted() && input.isDrained();
    watch
        .look(
            new StuckWatch.Sight(isIdle, chunkCount, isInFrame, input.cutFrames(), isWriting, writeCount),
            System.nanoTime())
        .ifPresent(this::onStuck);
  }

  private void onStuck(StuckWatch.Stuck stuck) {
    ConnectionTimeouts timeouts = services.config().timeouts();
    switch (stuck) {
      case IDLE -> {
        services.counts().count(ConnectionCounts.Limit.IDLE, peer);
        close();
      }
      case FRAME -> {
        services.counts().count(ConnectionCounts.Limit.FRAME, peer);
        String what = "the rest of this request did not come within " + timeouts.frame().toMillis() + " ms";
        loseFraming(new ProtocolException(ErrorCode.BAD_REQUEST, "body", 0, what));
        work();
      }
      case WRITE -> {
        services.counts().count(ConnectionCounts.Limit.WRITE, peer);
        closing = true;
        failStage(new IOException("the client has not read for " + timeouts.write().toMillis() + " ms"));
      }
    }
  }

  // ---------------------------------------------------------------- for the exchanges

  @Override
  public ConnectionServices services() {
    return services;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public InetSocketAddress localAddress() {
    return localAddress;
  }

  @Override
  public ConnectionQuota quota() {
    return quota;
  }

  @Override
  public ActorRef<PartitionReply> partitionReplies() {
    return replies.self().narrow();
  }

  @Override
  public ActorRef<TopicReply> topicReplies() {
    return replies.self().narrow();
  }

  @Override
  public ActorRef<GroupReply> groupReplies() {
    return replies.self().narrow();
  }

  @Override
  public ActorRef<TransactionReply> transactionReplies() {
    return replies.self().narrow();
  }

  @Override
  public long expect(ReplyTarget target) {
    return replies.expect(target);
  }

  @Override
  public void forget(long correlationId) {
    replies.forget(correlationId);
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
    if (key == Event.LINGER_OVER) {
      cancel(in);
    } else if (key == Event.LOOK) {
      look();
    } else if (timers.containsKey(key)) {
      timers.remove(key).run();
      work();
    }
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public boolean mayWait() {
    return !draining && !isClosed(in);
  }
}
