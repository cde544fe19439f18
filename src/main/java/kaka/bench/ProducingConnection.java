package kaka.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import kaka.protocol.ErrorReply;
import kaka.protocol.FrameCutter;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProtocolException;
import kaka.protocol.Response;
import kaka.protocol.Responses;

/** Sends PRODUCE_BATCH as its {@link Flight} allows, and books the acks. */
final class ProducingConnection extends BenchConnection {
  private static final int OUT_BYTES = 64 << 10;
  private static final int MAX_ANSWER_BYTES = 64 << 10;

  /** How often to look whether the time is over while the window is full. */
  private static final long LOOK_NS = 10_000_000;

  /**
   * What it does.
   *
   * @param connection its number among those that produce
   * @param quota measured requests that it may send; {@link Long#MAX_VALUE}: until the time is over
   * @param ackedEnd one past the last acknowledged offset of the partition, for those who read it
   */
  record Task(
      int connection, int partition, long quota, Payload payload, Flight flight, AckLedger ledger, AtomicLong ackedEnd) {}

  private final Task task;
  private final Flight flight;
  private final Payload payload;
  private final Times times;
  private final Tally tally;
  private final FrameCutter answers = new FrameCutter(MAX_ANSWER_BYTES);
  private final ByteBuffer out;
  private long left;
  private boolean isStopped;

  ProducingConnection(SocketChannel channel, Task task, Times times, Tally tally) {
    super(channel);
    this.task = task;
    this.flight = task.flight();
    this.payload = task.payload();
    this.times = times;
    this.tally = tally;
    this.left = task.quota();
    this.isStopped = left == 0;
    this.out = ByteBuffer.allocate(Math.max(OUT_BYTES, payload.frameBytes()));
  }

  @Override
  void send(long nowNs) throws IOException {
    stopIfDue(nowNs);
    do {
      fill(nowNs);
      out.flip();
      if (out.hasRemaining()) {
        channel.write(out);
      }
      out.compact();
    } while (out.position() == 0 && !isStopped && flight.canSend(nowNs));
    wantWrite(out.position() > 0);
  }

  private void fill(long nowNs) {
    while (!isStopped && out.remaining() >= payload.frameBytes() && flight.canSend(nowNs)) {
      long request = flight.sent();
      long since = flight.send(nowNs);
      payload.write(
          out.array(), out.position(), task.partition(), task.connection(), request, since, System.currentTimeMillis());
      out.position(out.position() + payload.frameBytes());
      if (left != Long.MAX_VALUE && times.isMeasured(since)) {
        left--;
        isStopped = left == 0;
      }
    }
  }

  private void stopIfDue(long nowNs) {
    if (isStopped || !times.isOver(nowNs)) {
      return;
    }
    isStopped = true;
    long end = times.endNs();
    long overdue = flight.overdue(end);
    for (long i = 0; i < overdue; i++) { // held up until the end: what they have cost so far is the least they would have
      if (times.isMeasured(flight.overdueSinceNs(i))) {
        tally.latency(end - flight.overdueSinceNs(i));
      }
    }
    tally.neverSent(overdue);
  }

  @Override
  void receive(byte[] scratch) throws IOException {
    int received = channel.read(ByteBuffer.wrap(scratch));
    if (received < 0) {
      throw new IOException("the broker has closed a connection");
    }
    long now = System.nanoTime();
    try {
      answers.feed(scratch, 0, received);
      while (answers.next()) {
        onAnswer(now);
      }
    } catch (ProtocolException e) {
      throw new IOException("not the answer to a produce: " + e.getMessage(), e);
    }
  }

  private void onAnswer(long now) throws IOException, ProtocolException {
    long since = flight.oldestSinceNs();
    Response answer = Responses.decode(answers.type(), answers.array(), answers.bodyFrom(), answers.bodyTo());
    if (answer instanceof ProduceAck ack) {
      task.ledger().acknowledge(ack.baseOffset());
      task.ackedEnd().accumulateAndGet(ack.baseOffset() + payload.batchRecords(), Math::max);
      tally.seen(payload.batchRecords());
      if (times.isCounted(since, now)) {
        tally.done(payload.batchRecords(), (long) payload.batchRecords() * payload.recordBytes(), now);
      }
    } else if (answer instanceof ErrorReply error && error.isRetriable()) {
      tally.refused();
      if (!task.ledger().refuse()) {
        throw new IOException("refused more than " + AckLedger.MAX_REFUSED + " times, last with: " + error.message());
      }
    } else if (answer instanceof ErrorReply error) {
      throw new IOException("a produce was refused: " + error.message());
    } else {
      throw new IOException("not the answer to a produce: type " + answers.type());
    }
    if (times.isMeasured(since)) {
      tally.latency(now - since);
    }
    flight.answer();
  }

  @Override
  long nextDueNs(long nowNs) {
    if (isStopped) {
      return Long.MAX_VALUE;
    }
    return flight.isPaced() ? Math.max(flight.nextDueNs(), nowNs + (flight.isFull() ? LOOK_NS : 1)) : times.endNs();
  }

  @Override
  boolean isWaiting() {
    return !flight.isEmpty();
  }

  @Override
  boolean isDone(long nowNs) {
    stopIfDue(nowNs);
    return isStopped && out.position() == 0 && flight.isEmpty();
  }
}
