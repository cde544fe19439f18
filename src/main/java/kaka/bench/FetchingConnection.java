package kaka.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Limits;
import kaka.protocol.MessageType;
import kaka.protocol.ProtocolException;
import kaka.protocol.RecordBatches;
import kaka.protocol.Responses;
import kaka.record.TopicPartition;

/**
 * Sends one FETCH_BATCHES after the other. An answer is read into one array, which is used again: no batch is copied, and the
 * array grows with what has arrived, not with what was declared.
 */
final class FetchingConnection extends BenchConnection {
  private static final int FIRST_BYTES = 64 << 10;
  private static final int READ_BYTES = 256 << 10;
  private static final int MIN_BYTES = 1;

  /** After a refusal that passes. */
  private static final long PAUSE_NS = 10_000_000;

  private final TopicPartition partition;
  private final Reading reading;
  private final int fetchBytes;
  private final int maxAnswerBytes;
  private ByteBuffer answer = ByteBuffer.allocate(FIRST_BYTES);
  private ByteBuffer out = ByteBuffer.allocate(0);
  private final Tally tally;
  private boolean isAsked;
  private long notBeforeNs;
  private long sinceNs;

  /** @param maxBatchBytes of one batch, which comes even if it is larger than {@code fetchBytes} */
  FetchingConnection(
      SocketChannel channel, TopicPartition partition, Reading reading, int fetchBytes, int maxBatchBytes, Tally tally) {
    super(channel);
    this.tally = tally;
    this.notBeforeNs = System.nanoTime();
    this.partition = partition;
    this.reading = reading;
    this.fetchBytes = fetchBytes;
    this.maxAnswerBytes = Math.max(fetchBytes, maxBatchBytes) + RecordBatches.FRAME_HEADER_BYTES;
  }

  @Override
  void send(long nowNs) throws IOException {
    if (!isAsked && nowNs - notBeforeNs >= 0 && !reading.isDone(nowNs)) {
      Fetch fetch = new Fetch(partition, reading.offset(), fetchBytes, reading.maxWaitMs(), MIN_BYTES);
      out = ByteBuffer.wrap(new FetchBatches(fetch).toFrame());
      isAsked = true;
      sinceNs = nowNs;
    }
    if (out.hasRemaining()) {
      channel.write(out);
    }
    wantWrite(out.hasRemaining());
  }

  @Override
  void receive(byte[] scratch) throws IOException {
    while (true) {
      int wanted = wanted();
      if (answer.capacity() < Math.min(wanted, answer.position() + READ_BYTES)) {
        int capacity = (int) Math.min(wanted, Math.max(2L * answer.capacity(), answer.position() + READ_BYTES));
        answer = ByteBuffer.allocate(capacity).put(answer.flip());
      }
      int most = Math.min(wanted, answer.position() + READ_BYTES);
      answer.limit(most);
      int received = channel.read(answer);
      answer.limit(answer.capacity());
      if (received < 0) {
        throw new IOException("the broker has closed a connection");
      }
      if (answer.position() < most) {
        return;
      }
      if (isWhole()) {
        onFrame();
        return;
      }
    }
  }

  /** Up to where to read: the header, then the whole frame. */
  private int wanted() throws IOException {
    if (answer.position() < Limits.FRAME_HEADER_BYTES) {
      return Limits.FRAME_HEADER_BYTES;
    }
    int length = answer.getInt(0);
    if (length < 1 || length > maxAnswerBytes) {
      throw new IOException("an answer of " + Integer.toUnsignedString(length) + " bytes, at most " + maxAnswerBytes);
    }
    return Integer.BYTES + length;
  }

  private boolean isWhole() throws IOException {
    return answer.position() >= Limits.FRAME_HEADER_BYTES && answer.position() == wanted();
  }

  private void onFrame() throws IOException {
    int type = answer.get(Integer.BYTES) & 0xff;
    int end = answer.position();
    if (type == MessageType.ERROR) {
      onError(end);
      return;
    }
    if (type != MessageType.RECORD_BATCHES || end < RecordBatches.FRAME_HEADER_BYTES || !isAsked) {
      throw new IOException("not the answer to a fetch: type " + type + ", " + end + " bytes");
    }
    isAsked = false;
    long logStart = answer.getLong(RecordBatches.FRAME_HEADER_BYTES - 2 * Long.BYTES);
    long highWatermark = answer.getLong(RecordBatches.FRAME_HEADER_BYTES - Long.BYTES);
    answer.clear();
    reading.onAnswer(
        logStart, highWatermark, answer.array(), RecordBatches.FRAME_HEADER_BYTES, end, sinceNs, System.nanoTime());
  }

  private void onError(int end) throws IOException {
    ErrorReply error;
    try {
      error = (ErrorReply) Responses.decode(MessageType.ERROR, answer.array(), Limits.FRAME_HEADER_BYTES, end);
    } catch (ProtocolException e) {
      throw new IOException("not an answer: " + e.getMessage(), e);
    }
    if (!error.isRetriable()) {
      throw new IOException("a fetch from " + partition + " was refused: " + error.message());
    }
    tally.refused();
    answer.clear();
    isAsked = false;
    notBeforeNs = System.nanoTime() + PAUSE_NS;
  }

  @Override
  long nextDueNs(long nowNs) {
    return !isAsked && notBeforeNs - nowNs > 0 ? notBeforeNs : Long.MAX_VALUE;
  }

  @Override
  boolean isWaiting() {
    return isAsked;
  }

  @Override
  boolean isDone(long nowNs) {
    return !isAsked && reading.isDone(nowNs);
  }
}
