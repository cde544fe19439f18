package kaka.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import kaka.client.KakaException.Reason;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.FrameCutter;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.ProtocolException;
import kaka.protocol.Request;
import kaka.protocol.Response;
import kaka.protocol.Responses;
import kaka.protocol.WireWriter;
import kaka.socket.SelectorLoop;

/**
 * One connection to the broker, from the look-up of its name to its end; never opened a second time. Everything happens on
 * the loop's thread.
 *
 * <p>It is usable once HELLO has told the windows. A request takes a credit and its frame's bytes out of them and gives both
 * back with its answer; whoever sends asks {@link #creditBytes} first. Answers come in the order of the requests. A request
 * unanswered for its timeout closes the connection: nothing after it could be matched any more.
 */
final class Connection implements SelectorLoop.Handler {
  /** Who uses the connection; called on the loop's thread. */
  interface Listener {
    /** HELLO is answered: {@link #hello} and credit are there. */
    void opened();

    /** Credit came back; once for all answers that came together. */
    void creditReturned();

    /** It is over, and every request has been failed. */
    void closed(Connection ended, KakaException reason);
  }

  private record Pending<R extends Response>(
      Class<R> answer, ReplyHandler<R> handler, int frameBytes, long sentThrough, long sentAtNanos, Duration timeout) {
    void answer(Response response) {
      handler.answered(answer.cast(response));
    }
  }

  /** No answer is longer: text, from a service of another kind, starts with a length above this and is refused at once. */
  private static final int MAX_ANSWER_BYTES = 1 << 30;

  private static final String SOFTWARE = "kaka-java";

  private final SelectorLoop loop;
  private final ClientConfig config;
  private final Listener listener;
  private final boolean wantsProducerId;
  private final FrameCutter cutter = new FrameCutter(MAX_ANSWER_BYTES);
  private final SendQueue sendQueue = new SendQueue();
  private final ArrayDeque<Pending<?>> pending = new ArrayDeque<>();
  private final List<InetAddress> untried = new ArrayList<>();
  private String address;
  private SocketChannel channel;
  private SelectionKey key;
  private SelectorLoop.Timer connectTimer;
  private SelectorLoop.Timer answerTimer;
  private long answerTimerNanos;
  private HelloReply hello;
  private boolean closed;
  private long inFlightBytes;
  private long lastReadNanos;

  private Connection(SelectorLoop loop, ClientConfig config, Listener listener, boolean wantsProducerId) {
    this.loop = loop;
    this.wantsProducerId = wantsProducerId;
    this.config = config;
    this.listener = listener;
    this.address = config.address();
  }

  /** Starts to connect; {@code listener} is told the end of it, never before this returns. */
  static Connection open(SelectorLoop loop, ClientConfig config, Listener listener) {
    return open(loop, config, listener, false);
  }

  /** @param wantsProducerId whether {@link #hello} is to bring a new producer's identity */
  static Connection open(SelectorLoop loop, ClientConfig config, Listener listener, boolean wantsProducerId) {
    Connection connection = new Connection(loop, config, listener, wantsProducerId);
    connection.connectTimer = loop.schedule(config.connectTimeout(), connection::connectTimedOut);
    connection.lookUp();
    return connection;
  }

  /**
   * Looks the name up on a thread of its own, for a name server can take seconds; not on the JVM's common pool, whose one or two
   * threads may be blocked by anybody.
   */
  private void lookUp() {
    Thread lookUp =
        new Thread(
            () -> {
              List<InetAddress> addresses = addressesOf(config.host());
              executeUnlessStopped(() -> lookedUp(addresses));
            },
            "kaka-look-up");
    lookUp.setDaemon(true);
    lookUp.start();
  }

  private static List<InetAddress> addressesOf(String host) {
    try {
      return List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  private void executeUnlessStopped(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // the client was closed meanwhile, and this connection with it
    }
  }

  private void lookedUp(List<InetAddress> addresses) {
    if (closed) {
      return;
    }
    if (addresses.isEmpty()) {
      close(new KakaException(Reason.NOT_CONNECTED, "unknown host " + config.host()));
      return;
    }
    untried.addAll(addresses);
    connectNext(null);
  }

  /** Tries the next address; {@code previous} is what went wrong with the last one. */
  private void connectNext(IOException previous) {
    if (untried.isEmpty()) {
      close(new KakaException(Reason.NOT_CONNECTED, "cannot connect to " + address + ": " + previous.getMessage(), previous));
      return;
    }
    InetAddress next = untried.remove(0);
    try {
      channel = SocketChannel.open();
    } catch (IOException e) {
      untried.clear(); // no descriptor: another address needs one too
      connectNext(e);
      return;
    }
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      boolean connected = channel.connect(new InetSocketAddress(next, config.port()));
      key = loop.register(channel, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
      if (connected) {
        sayHello();
      }
    } catch (IOException e) {
      SelectorLoop.closeQuietly(channel);
      connectNext(e);
    }
  }

  @Override
  public void ready(SelectionKey ready) {
    if (ready.isConnectable()) {
      finishConnect();
    } else {
      if (ready.isReadable()) {
        read();
      }
      if (!closed && ready.isWritable()) {
        flush();
      }
    }
  }

  private void finishConnect() {
    try {
      if (!channel.finishConnect()) {
        return; // woken for nothing; it is told again
      }
    } catch (IOException e) {
      SelectorLoop.closeQuietly(channel);
      connectNext(e);
      return;
    }
    key.interestOps(SelectionKey.OP_READ);
    sayHello();
  }

  private void sayHello() {
    ReplyHandler<HelloReply> handler =
        new ReplyHandler<>() {
          @Override
          public void answered(HelloReply reply) {
            greeted(reply);
          }

          @Override
          public void failed(KakaException failure, boolean sent) {
            close(failure); // a refusal; without effect if it is the connection that failed
          }
        };
    Hello request = new Hello(Hello.VERSION, Hello.VERSION, config.clientId(), SOFTWARE, wantsProducerId);
    send(encode(request), HelloReply.class, config.connectTimeout(), handler);
    flush();
  }

  private void greeted(HelloReply reply) {
    hello = reply;
    connectTimer.cancel();
    listener.opened();
  }

  private void connectTimedOut() {
    close(
        new KakaException(
            Reason.NOT_CONNECTED, "no connection to " + address + " within " + config.connectTimeout().toMillis() + " ms"));
  }

  /** What the broker told on connecting; there once {@link Listener#opened} was called. */
  HelloReply hello() {
    return hello;
  }

  boolean isOpen() {
    return hello != null && !closed;
  }

  boolean isClosed() {
    return closed;
  }

  int inFlight() {
    return pending.size();
  }

  /** How large a frame may be sent now, in bytes; 0: none. Any, where nothing is in flight: one request always goes. */
  long creditBytes() {
    if (!isOpen() || pending.size() >= hello.windowRequests()) {
      return 0;
    }
    return pending.isEmpty() ? Long.MAX_VALUE : Math.max(0, hello.windowBytes() - inFlightBytes);
  }

  static WireWriter encode(Request request) {
    return new WireWriter().frame(request);
  }

  /**
   * Queues one request; {@link #flush} sends what is queued.
   *
   * @param frame the encoded request, not changed any more; at most {@link #creditBytes}
   * @param timeout how long its answer may take
   */
  <R extends Response> void send(WireWriter frame, Class<R> answer, Duration timeout, ReplyHandler<R> handler) {
    long sentThrough = sendQueue.add(frame.array(), frame.sizeBytes());
    inFlightBytes += frame.sizeBytes();
    pending.add(new Pending<>(answer, handler, frame.sizeBytes(), sentThrough, System.nanoTime(), timeout));
    watchAnswers(timeout);
  }

  /** Sends what is queued, as far as the socket takes it now; the rest goes by itself. */
  void flush() {
    if (closed) {
      return;
    }
    try {
      sendQueue.writeTo(channel, loop.directBuffer());
      key.interestOps(sendQueue.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    } catch (IOException e) {
      close(lost(e.getMessage(), e));
    }
  }

  private void read() {
    int answersBefore = pending.size();
    try {
      ByteBuffer buffer = loop.heapBuffer();
      int size = channel.read(buffer);
      if (size < 0) {
        close(lost("closed by the broker", null));
        return;
      }
      lastReadNanos = System.nanoTime();
      cutFrames(buffer.array(), size);
    } catch (IOException e) {
      close(lost(e.getMessage(), e));
    } catch (ProtocolException e) {
      close(new KakaException(Reason.BAD_ANSWER, address + " does not answer as a kaka broker: " + e.getMessage(), e));
    }
    if (isOpen() && pending.size() < answersBefore) {
      listener.creditReturned();
    }
  }

  private KakaException lost(String why, IOException cause) {
    Reason reason = hello == null ? Reason.NOT_CONNECTED : Reason.CONNECTION_LOST;
    return new KakaException(reason, "connection to " + address + " lost: " + why, cause);
  }

  private void cutFrames(byte[] array, int size) throws ProtocolException {
    cutter.feed(array, 0, size);
    while (!closed && cutter.next()) {
      frame(cutter.type(), Responses.decode(cutter.type(), cutter.array(), cutter.bodyFrom(), cutter.bodyTo()));
    }
    if (cutter.firstTypeByte().orElse(1) == 0) {
      throw new ProtocolException(ErrorCode.BAD_REQUEST, "type", 0, "0 is no answer's type");
    }
  }

  private void frame(int type, Response response) throws ProtocolException {
    Pending<?> oldest = pending.peek();
    if (response instanceof ErrorReply error && oldest == null) {
      close(KakaException.refused(error)); // says why it is about to hang up
      return;
    }
    if (oldest == null) {
      throw new ProtocolException(ErrorCode.BAD_REQUEST, "type", 0, "0x%02x answers no request".formatted(type));
    }
    if (response instanceof ErrorReply error) {
      settled(oldest);
      oldest.handler.failed(KakaException.refused(error), true);
    } else if (oldest.answer.isInstance(response)) {
      settled(oldest);
      oldest.answer(response);
    } else {
      throw new ProtocolException(
          ErrorCode.BAD_REQUEST, "type", 0, "0x%02x where %s was due".formatted(type, oldest.answer.getSimpleName()));
    }
  }

  private void settled(Pending<?> oldest) {
    pending.remove();
    inFlightBytes -= oldest.frameBytes;
  }

  /** Sees to it that somebody looks after {@code within}, if nobody does so earlier. */
  private void watchAnswers(Duration within) {
    long atNanos = System.nanoTime() + within.toNanos();
    if (answerTimer != null && answerTimerNanos - atNanos <= 0) {
      return;
    }
    if (answerTimer != null) {
      answerTimer.cancel();
    }
    answerTimer = loop.schedule(within, this::checkAnswerDue);
    answerTimerNanos = atNanos;
  }

  /** Looks whether the oldest request has waited too long; as long as its answer is coming in it has not. */
  private void checkAnswerDue() {
    answerTimer = null;
    Pending<?> oldest = pending.peek();
    if (oldest == null) {
      return;
    }
    long sinceNanos = oldest.sentAtNanos;
    if (cutter.bufferedBytes() > 0 && lastReadNanos - sinceNanos > 0) {
      sinceNanos = lastReadNanos;
    }
    Duration left = oldest.timeout.minusNanos(System.nanoTime() - sinceNanos);
    if (left.isNegative() || left.isZero()) {
      String what = "no answer from " + address + " within " + oldest.timeout.toMillis() + " ms";
      close(new KakaException(hello == null ? Reason.NOT_CONNECTED : Reason.NO_ANSWER, what));
    } else {
      watchAnswers(left);
    }
  }

  /** Ends the connection and fails what is in flight with {@code reason}; without effect if it has ended. */
  void close(KakaException reason) {
    if (closed) {
      return;
    }
    closed = true;
    connectTimer.cancel();
    if (answerTimer != null) {
      answerTimer.cancel();
    }
    if (channel != null) {
      SelectorLoop.closeQuietly(channel);
    }
    while (!pending.isEmpty()) {
      Pending<?> next = pending.remove();
      next.handler.failed(reason, next.sentThrough <= sendQueue.writtenBytes());
    }
    listener.closed(this, reason);
  }
}
