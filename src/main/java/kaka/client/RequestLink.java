package kaka.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import kaka.client.KakaException.Reason;
import kaka.protocol.HelloReply;
import kaka.protocol.Request;
import kaka.protocol.Response;
import kaka.protocol.WireWriter;
import kaka.socket.SelectorLoop;

/**
 * Asks and is answered, over a connection of its own that it opens when there is something to ask and none is open. A
 * connection that ends fails what was asked, and the next question opens another. For questions that change nothing or whose
 * asker decides about asking again; a {@link Producer} has its own rules.
 */
final class RequestLink implements Connection.Listener {
  private static final class Question<R extends Response> implements ReplyHandler<R> {
    private final WireWriter frame;
    private final Class<R> answer;
    private final Duration timeout;
    private final CompletableFuture<R> future = new CompletableFuture<>();

    Question(Request request, Class<R> answer, Duration timeout) {
      this.frame = Connection.encode(request);
      this.answer = answer;
      this.timeout = timeout;
    }

    void sendOn(Connection connection) {
      connection.send(frame, answer, timeout, this);
    }

    @Override
    public void answered(R response) {
      future.complete(response);
    }

    @Override
    public void failed(KakaException failure, boolean sent) {
      future.completeExceptionally(failure);
    }
  }

  private final SelectorLoop loop;
  private final ClientConfig config;
  private final ArrayDeque<Question<?>> waiting = new ArrayDeque<>();
  private final ArrayDeque<CompletableFuture<HelloReply>> awaitingHello = new ArrayDeque<>();
  private Connection connection;
  private KakaException closedBecause;

  RequestLink(SelectorLoop loop, ClientConfig config) {
    this.loop = loop;
    this.config = config;
  }

  /** Connects, unless it is connected; gives what the broker told. From any thread. */
  CompletableFuture<HelloReply> connect() {
    CompletableFuture<HelloReply> future = new CompletableFuture<>();
    onLoop(
        future,
        () -> {
          if (connection != null && connection.isOpen()) {
            future.complete(connection.hello());
          } else {
            awaitingHello.add(future);
            openConnection();
          }
        });
    return future;
  }

  /**
   * Asks. From any thread; the answer comes on the loop's.
   *
   * @param extraTime how long the broker may take on top of the request timeout
   */
  <R extends Response> CompletableFuture<R> ask(Request request, Class<R> answer, Duration extraTime) {
    Question<R> question = new Question<>(request, answer, config.requestTimeout().plus(extraTime));
    onLoop(
        question.future,
        () -> {
          waiting.add(question);
          openConnection();
          sendWaiting();
        });
    return question.future;
  }

  private void onLoop(CompletableFuture<?> future, Runnable task) {
    Runnable guarded =
        () -> {
          if (closedBecause != null) {
            future.completeExceptionally(closedBecause);
          } else {
            task.run();
          }
        };
    if (loop.isLoopThread()) {
      guarded.run();
      return;
    }
    try {
      loop.execute(guarded);
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(new KakaException(Reason.CLOSED, e.getMessage(), e));
    }
  }

  private void openConnection() {
    if (connection == null || connection.isClosed()) {
      connection = Connection.open(loop, config, this);
    }
  }

  private void sendWaiting() {
    if (connection == null || !connection.isOpen()) {
      return;
    }
    while (!waiting.isEmpty() && waiting.element().frame.sizeBytes() <= connection.creditBytes()) {
      waiting.remove().sendOn(connection);
    }
    connection.flush();
  }

  @Override
  public void opened() {
    while (!awaitingHello.isEmpty()) {
      awaitingHello.remove().complete(connection.hello());
    }
    sendWaiting();
  }

  @Override
  public void creditReturned() {
    sendWaiting();
  }

  /** What had not been sent fails too: its asker may ask again, and that opens the next connection. */
  @Override
  public void closed(Connection ended, KakaException reason) {
    if (connection != ended) {
      return; // somebody asked again when told of the failure: the next one is on its way
    }
    connection = null;
    ArrayDeque<CompletableFuture<?>> failed = new ArrayDeque<>(awaitingHello);
    waiting.forEach(question -> failed.add(question.future));
    awaitingHello.clear();
    waiting.clear();
    failed.forEach(future -> future.completeExceptionally(reason));
  }

  /** Ends it: what is asked now or later fails with {@code reason}. On the loop's thread. */
  void close(KakaException reason) {
    closedBecause = reason;
    if (connection != null) {
      connection.close(reason);
    }
  }
}
