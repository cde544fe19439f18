package kaka.connection;

import akka.actor.typed.ActorRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import kaka.log.CleanUp;
import kaka.metrics.Protocol;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProtocolException;

/**
 * One connection: socket bytes in, socket bytes out. It cuts frames, keeps the window of requests, and answers in order. Everything
 * here is called by its {@link ConnectionActor}, one event after the other, on the thread that serves its socket.
 *
 * <p>The client speaks first. All whole frames of one socket read are decoded together, the produces among them go to their
 * partitions as one message each; at the window's edge the socket is not read, and TCP slows the client down. One chunk is read ahead
 * even then, so a client that leaves with its window full is noticed at once; if it has sent more than that, by {@link LostWatch}. The
 * next answer is made when the kernel has all that went before.
 *
 * <p>A connection holds, charged to the memory budget: the frame that is not whole yet; slices and a read window of the one fetch
 * that is being answered, see {@link AnswerMemory}; what was asked behind it, and METADATA or DESCRIBE_TOPIC answers until they are
 * written. The window's batches are charged too, but to whom they are handed: the partition, which may outlive the connection. Not
 * charged, but bounded by the number of connections: two chunks each, one that waits for credit and the one read ahead ({@code
 * kaka.dispatchers.sockets.buffer-bytes}; what {@link ReadAhead} reads beyond is charged), and small answers that the client does not
 * take, some 16 KiB of them. The copy of a small frame that becomes a batch here is charged once it is made: while it is, there is
 * one for each of the threads that serve sockets.
 *
 * <p>Ends when the client has closed and every answer is out, when the socket fails, after an answer that says framing is lost,
 * drained, or stuck for longer than {@link ConnectionTimeouts} allow. It does not look into partitions, decide about topics, or
 * read the disk on its own thread.
 */
final class ConnectionLogic extends ConnectionContext {
  /**
   * Time for the client to read what was answered last and to close. A socket closed at once, with bytes of the client's
   * unread in it, would be reset, and the answer lost on the way.
   */
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** A client that takes as much of a long write has made progress; one that takes a byte now and then has not. */
  private static final int PROGRESS_BYTES = 256 << 10;

  private final ClientSocket socket;
  private final ConnectionInput input;
  private final ExchangeQueue exchanges;
  private Intake intake; // once the first frame has said which protocol it is
  private final StuckWatch watch;
  private final WindowWatch window;
  private final Runnable refusal = this::refuseGivenUp;
  private final ReadAhead ahead;
  private long writeCount;
  private boolean noMoreFrames;
  private boolean draining;
  private boolean closing;
  private boolean isReset;
  private boolean isOver;
  private boolean hasEnded;

  private ConnectionLogic(
      ConnectionServices services,
      InetSocketAddress remoteAddress,
      InetSocketAddress localAddress,
      ClientSocket socket,
      ConnectionTimers timers,
      AwaitedReplies replies) {
    super(services, remoteAddress, localAddress, timers, replies);
    this.socket = socket;
    this.input = new ConnectionInput(services.config().maxFrameBytes(), services.memory());
    this.ahead = new ReadAhead(socket, input, services.memory());
    this.exchanges = new ExchangeQueue(services.config().windowRequests(), services.config().windowBytes());
    this.watch = new StuckWatch(services.config().timeouts());
    this.window = new WindowWatch(services.metrics().connections(), exchanges, shown());
  }

  /**
   * Waits for the client's first bytes.
   *
   * @param channel what {@code socket} reads and writes
   * @throws IOException if the client has gone already; nothing is held then
   */
  static ConnectionLogic start(
      ConnectionServices services, SocketChannel channel, ClientSocket socket, ConnectionTimers timers, AwaitedReplies replies)
      throws IOException {
    InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
    InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
    ConnectionLogic logic = new ConnectionLogic(services, remote, local, socket, timers, replies);
    logic.window.start();
    services.counts().open().add(logic.shown());
    timers.every(services.config().timeouts().lookInterval(), logic::look);
    logic.ahead.want();
    return logic;
  }

  // ---------------------------------------------------------------- events

  /** The socket has bytes, or their end. */
  void onReadable() {
    boolean isForNow;
    try {
      isForNow = ahead.read(closing); // passed over then: the client is to see the end of the answers, not a reset
    } catch (IOException e) {
      isOver = true;
      return;
    }
    if (socket.isInputOver()) {
      onInputOver();
    } else if (isForNow) {
      ahead.use();
      work();
    }
  }

  private void onInputOver() {
    if (closing) {
      isOver = true;
    } else {
      exchanges.stopWaiting(); // half closed, or gone: what was asked is still answered, but now
      work();
    }
  }

  /** The kernel takes more of the last write. */
  void onWritable() {
    try {
      socket.writeOn();
    } catch (IOException e) {
      isOver = true;
      return;
    }
    if (!socket.isWriting() && !closing) {
      exchanges.onWritten();
      work();
    }
  }

  /** One of those it asked has answered. */
  void onReply(Object reply) {
    replies().onMessage(reply);
    work();
  }

  /** One of those it asked has stopped. */
  void onStopped(ActorRef<?> asked) {
    replies().onStopped(asked);
    work();
  }

  /** What it had done elsewhere is done. */
  void onDone(AwaitedReplies.Done done) {
    done.next().run();
    work();
  }

  void onDue(ConnectionTimers.Due due) {
    timers().run(due);
    work();
  }

  /** Answers what was asked, refuses what is asked from now on, and closes. */
  void drain() {
    draining = true;
    exchanges.stopWaiting();
    work();
  }

  /** Whether the connection is to end now. */
  boolean isOver() {
    return isOver;
  }

  /** Lets go of everything, whatever of it fails; the second time it does nothing. */
  void end() {
    if (hasEnded) {
      return;
    }
    hasEnded = true;
    CleanUp cleanUp = new CleanUp();
    cleanUp.step(isReset ? socket::reset : socket::close);
    cleanUp.step(() -> services().counts().sawInFlight(exchanges.peakCount()));
    cleanUp.step(exchanges::endAll);
    cleanUp.step(window::end);
    cleanUp.step(() -> services().counts().open().remove(shown()));
    cleanUp.step(checks()::leave);
    cleanUp.step(this::leaveMakings);
    if (intake != null) {
      cleanUp.step(intake::end);
    }
    cleanUp.step(ahead::drop);
    cleanUp.step(input::end);
    cleanUp.step(timers()::end);
    cleanUp.end();
  }

  // ---------------------------------------------------------------- the loop

  /**
   * After every event: cut frames as far as the window goes, send what is answered, ask for more if there is credit. One
   * event handles at most two chunks of the socket and two windows of requests, so that connections take turns.
   */
  private void work() {
    while (!closing && !isOver && workOnce()) {
      ahead.use();
      socket.wantInput(true);
    }
  }

  /** Returns whether the chunk that was read ahead can be used. */
  private boolean workOnce() {
    boolean progress = true;
    while (progress && !closing && !isOver) {
      cut();
      if (intake != null) {
        intake.dispatch();
      }
      progress = send() && !input.isDrained();
    }
    window.look();
    if (closing || isOver) {
      return false;
    }
    if (draining && exchanges.isEmpty() && !isBlocked()) {
      noMoreFrames = true;
      ahead.wantNoMore();
    }
    if (exchanges.isEmpty() && isInputOver()) {
      if (!socket.isWriting()) {
        close();
      }
      return false;
    }
    if (noMoreFrames || !hasCredit() || !input.isDrained()) {
      return false;
    }
    if (!ahead.isWaiting()) {
      ahead.want();
    }
    return ahead.isWaiting();
  }

  /** Whether nothing that could be asked from now on has to be answered. */
  private boolean isInputOver() {
    return noMoreFrames || !isBlocked() && socket.isInputOver() && input.isDrained();
  }

  private boolean isBlocked() {
    return intake != null && intake.isBlocked() || checks().isBusy();
  }

  private boolean hasCredit() {
    return !isBlocked() && !isMuted() && exchanges.hasCredit();
  }

  /** Who is refused anyway need not wait for it. */
  private boolean isMuted() {
    return quota().isMuted() && !draining;
  }

  private void cut() {
    if (noMoreFrames) {
      return;
    }
    try {
      boolean isFirst = true;
      while (hasCredit() && !(intake != null && intake.isOver()) && input.next()) {
        if (isFirst) {
          exchanges.arriving(System.nanoTime()); // the clock is asked once for all that are cut together
          isFirst = false;
        }
        input.giveTo(intake(), checks(), refusal);
      }
      if (intake != null && intake.isOver()) {
        endInput();
      } else if (!input.charge(isBlocked())) {
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
      FrontDoor door = input.isKafka() ? services().kafkaDoor() : services().nativeDoor();
      shown().speaks(input.isKafka() ? Protocol.KAFKA : Protocol.NATIVE);
      intake = door.open(this, input, exchanges);
    }
    return intake;
  }

  private void refuseGivenUp() {
    intake().noMemory().ifPresentOrElse(answer -> exchanges.add(FrameExchange.of(0, answer)), this::endInput);
  }

  private void endInput() {
    noMoreFrames = true;
    ahead.wantNoMore();
    input.end();
  }

  /** Writes what is answered, as far as the kernel takes it; true if an exchange ended, which may be credit for the next. */
  private boolean send() {
    boolean ended = false;
    try {
      while (!socket.isWriting()) {
        ended |= exchanges.collect();
        if (!exchanges.hasAnswers()) {
          break;
        }
        writeCount++;
        ByteBuffer answers = exchanges.takeAnswers();
        socket.write(answers, exchanges.isLent(answers));
        if (!socket.isWriting()) {
          exchanges.onWritten();
        }
      }
    } catch (IOException e) {
      isOver = true;
    }
    return ended;
  }

  // ---------------------------------------------------------------- the end

  /** Everything is answered and written. Ends at once if the client has closed its side, else when it does. */
  private void close() {
    closing = true;
    ahead.drop();
    try {
      socket.endOutput();
    } catch (IOException e) {
      isOver = true;
    }
    if (socket.isInputOver()) {
      isOver = true;
    } else {
      socket.wantInput(true);
      timers().once(LINGER, LINGER, () -> isOver = true);
    }
  }

  @Override
  public void abort(Throwable reason) {
    tellAborted(reason);
    fail();
  }

  private void fail() {
    closing = true;
    isReset = true;
    isOver = true;
  }

  /** Whether the client has made progress since the last look. */
  private void look() {
    if (closing) {
      return;
    }
    boolean isWriting = socket.isWriting();
    boolean isInFrame = !noMoreFrames && !isMuted() && input.isInFrame();
    boolean isIdle = !isWriting && !isInFrame && exchanges.isEmpty() && !isBlocked() && !isMuted() && input.isDrained();
    watch
        .look(
            new StuckWatch.Sight(isIdle, ahead.chunkCount(), isInFrame, input.cutFrames(), isWriting, writeProgress()),
            System.nanoTime())
        .ifPresent(this::onStuck);
  }

  private long writeProgress() {
    return writeCount + socket.takenBytes() / PROGRESS_BYTES;
  }

  private void onStuck(StuckWatch.Stuck stuck) {
    ConnectionTimeouts timeouts = services().config().timeouts();
    switch (stuck) {
      case IDLE -> {
        services().counts().count(ConnectionCounts.Limit.IDLE, peer());
        close();
      }
      case FRAME -> {
        services().counts().count(ConnectionCounts.Limit.FRAME, peer());
        String what = "the rest of this request did not come within " + timeouts.frame().toMillis() + " ms";
        loseFraming(new ProtocolException(ErrorCode.BAD_REQUEST, "body", 0, what));
        work();
      }
      case WRITE -> {
        services().counts().count(ConnectionCounts.Limit.WRITE, peer());
        fail();
      }
    }
  }

  // ---------------------------------------------------------------- for the exchanges

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public boolean mayWait() {
    return !draining && !socket.isInputOver();
  }
}
