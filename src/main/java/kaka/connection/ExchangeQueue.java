package kaka.connection;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import kaka.log.CleanUp;
import kaka.metrics.RequestMetrics;

/** What a connection was asked and has not answered yet, in the order of the requests, and the credit that is left. */
public final class ExchangeQueue {
  private final int windowRequests;
  private final long windowBytes;
  private final ArrayDeque<Exchange> exchanges = new ArrayDeque<>();
  private final AnswerBuffer answers = new AnswerBuffer();

  /** The head of the queue, once it was told so. */
  private Exchange started;

  /** Their answers are in the last write, which the kernel may not have taken, and so are still held and charged. */
  private final List<Exchange> leaving = new ArrayList<>();

  private final AnsweredRequests answered = new AnsweredRequests();
  private long bytesInFlight;
  private int peakCount;
  private RequestMetrics.Kind takenKind;
  private long takenNs;

  ExchangeQueue(int windowRequests, long windowBytes) {
    this.windowRequests = windowRequests;
    this.windowBytes = windowBytes;
  }

  boolean hasCredit() {
    return exchanges.size() < windowRequests && bytesInFlight < windowBytes;
  }

  /** The most that there were at a time. */
  int peakCount() {
    return peakCount;
  }

  public boolean isEmpty() {
    return exchanges.isEmpty();
  }

  int count() {
    return exchanges.size();
  }

  long bytesInFlight() {
    return bytesInFlight;
  }

  /** What is taken from now on came at that time, of {@link System#nanoTime}. */
  void arriving(long nowNs) {
    takenNs = nowNs;
  }

  /** The request that is being taken is one of these; what is {@link #add}ed until the next one answers it. */
  public void taking(RequestMetrics.Kind kind) {
    takenKind = kind;
  }

  public void add(Exchange exchange) {
    exchange.arrived(takenKind, takenNs);
    exchanges.add(exchange);
    bytesInFlight += exchange.frameBytes();
    peakCount = Math.max(peakCount, exchanges.size());
  }

  /**
   * Moves answers, oldest first, as far as they are there and fit in one write.
   *
   * @return whether an exchange ended, which is credit for the next
   */
  boolean collect() {
    boolean ended = false;
    while (!exchanges.isEmpty() && !answers.isFull()) {
      Exchange oldest = exchanges.peek();
      if (oldest != started) {
        started = oldest;
        oldest.onOldest();
      }
      if (!oldest.writeTo(answers)) {
        break;
      }
      exchanges.remove();
      started = null;
      bytesInFlight -= oldest.frameBytes();
      answered.add(oldest);
      if (answers.holdsSlice() || oldest.isCharged()) {
        leaving.add(oldest);
      } else {
        oldest.end();
      }
      ended = true;
    }
    if (ended) {
      answered.tell(System.nanoTime());
    }
    return ended;
  }

  boolean hasAnswers() {
    return !answers.isEmpty();
  }

  /** What was collected: the next write. */
  ByteBuffer takeAnswers() {
    return answers.take();
  }

  /** Whether what was taken lies in an array that the next answers are written to. */
  boolean isLent(ByteBuffer taken) {
    return answers.isLent(taken);
  }

  /** The kernel has the last write. */
  void onWritten() {
    leaving.forEach(Exchange::end);
    leaving.clear();
  }

  void stopWaiting() {
    exchanges.forEach(Exchange::stopWaiting);
  }

  /** The connection has ended: each exchange ends, whatever another throws. */
  void endAll() {
    CleanUp cleanUp = new CleanUp();
    leaving.forEach(exchange -> cleanUp.step(exchange::end));
    leaving.clear();
    exchanges.forEach(exchange -> cleanUp.step(exchange::end));
    exchanges.clear();
    cleanUp.end();
  }
}
