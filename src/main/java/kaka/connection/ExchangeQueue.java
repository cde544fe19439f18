package kaka.connection;

import akka.util.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What a connection was asked and has not answered yet, in the order of the requests, and the credit that is left. */
public final class ExchangeQueue {
  private final int windowRequests;
  private final long windowBytes;
  private final ArrayDeque<Exchange> exchanges = new ArrayDeque<>();
  private final AnswerBuffer answers = new AnswerBuffer();

  /** The head of the queue, once it was told so. */
  private Exchange started;

  /** Their answers are in the last write, which may wait for the one before it, and so are still held and charged. */
  private final List<Exchange> leaving = new ArrayList<>();

  private long bytesInFlight;
  private int peakCount;

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

  public void add(Exchange exchange) {
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
      if (answers.holdsSlice() || oldest.isCharged()) {
        leaving.add(oldest);
      } else {
        oldest.end();
      }
      ended = true;
    }
    return ended;
  }

  boolean hasAnswers() {
    return !answers.isEmpty();
  }

  /** What was collected: the next write. */
  ByteString takeAnswers() {
    return answers.take();
  }

  /** The last write is on its way. */
  void onWritten() {
    leaving.forEach(Exchange::end);
    leaving.clear();
  }

  void stopWaiting() {
    exchanges.forEach(Exchange::stopWaiting);
  }

  /** The connection has ended. */
  void endAll() {
    onWritten();
    exchanges.forEach(Exchange::end);
    exchanges.clear();
  }
}
