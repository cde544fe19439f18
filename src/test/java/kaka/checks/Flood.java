package kaka.checks;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import kaka.protocol.ErrorReply;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProtocolException;
import kaka.protocol.Response;
import kaka.protocol.Responses;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;

/**
 * Produces over several connections, each with its own window of requests, and journals every ack, until it is told to stop, time
 * is up or the broker is gone. Connection {@code c} writes to partition {@code c mod partitions}.
 */
final class Flood {
  /**
   * @param recordsPerRequest records of one PRODUCE
   * @param valueBytes of each record, at least {@link RecordValue#MIN_BYTES}
   */
  record Plan(
      InetSocketAddress broker,
      String topic,
      int partitions,
      int connections,
      int window,
      int recordsPerRequest,
      int valueBytes,
      long maxMillis) {}

  private final Plan plan;
  private final AckJournal journal;
  private final long run = ThreadLocalRandom.current().nextLong() >>> 1;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong ackedRecords = new AtomicLong();
  private final Map<String, AtomicLong> refusals = new ConcurrentHashMap<>();

  Flood(Plan plan, AckJournal journal) {
    this.plan = plan;
    this.journal = journal;
  }

  /** Stops after what is in flight is answered. */
  void stop() {
    stop.set(true);
  }

  long ackedRecords() {
    return ackedRecords.get();
  }

  /** Returns when so many records are acknowledged; never if the broker goes before that. */
  void awaitAcked(long recordCount) throws InterruptedException {
    synchronized (ackedRecords) {
      while (ackedRecords.get() < recordCount) {
        ackedRecords.wait();
      }
    }
  }

  /** What was refused, by the broker's words, and how often. */
  Map<String, AtomicLong> refusals() {
    return refusals;
  }

  /** Runs to its end; a broker that dies is an end like any other. */
  void run() throws InterruptedException, IOException {
    long deadlineNs = System.nanoTime() + plan.maxMillis() * 1_000_000;
    List<Thread> threads = new ArrayList<>();
    for (int c = 0; c < plan.connections(); c++) {
      Socket socket = new Socket();
      socket.connect(plan.broker(), 10_000);
      socket.setTcpNoDelay(true);
      Connection connection = new Connection(c, socket, deadlineNs);
      threads.add(new Thread(connection::send, "flood-send-" + c));
      threads.add(new Thread(connection::receive, "flood-receive-" + c));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    journal.handOver();
  }

  private final class Connection {
    private final int number;
    private final Socket socket;
    private final long deadlineNs;
    private final TopicPartition partition;
    private final Semaphore credits = new Semaphore(plan.window());
    private volatile boolean broken;

    Connection(int number, Socket socket, long deadlineNs) {
      this.number = number;
      this.socket = socket;
      this.deadlineNs = deadlineNs;
      this.partition = new TopicPartition(plan.topic(), number % plan.partitions());
    }

    void send() {
      try (socket) {
        OutputStream out = socket.getOutputStream();
        for (long sequence = 0; !stop.get() && !broken && System.nanoTime() < deadlineNs; sequence += plan.recordsPerRequest()) {
          credits.acquire();
          out.write(new Produce(partition, batch(sequence)).toFrame());
        }
        credits.acquire(plan.window()); // all answered, or the receiver has given them back
      } catch (IOException e) {
        broken = true; // the broker is gone: that is what this is for
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private RecordBatch batch(long firstSequence) {
      RecordBatchBuilder builder = new RecordBatchBuilder(plan.recordsPerRequest() * (plan.valueBytes() + 40));
      for (int i = 0; i < plan.recordsPerRequest(); i++) {
        builder.append(0, null, RecordValue.encode(run, number, firstSequence + i, plan.valueBytes()), List.of());
      }
      return builder.build();
    }

    void receive() {
      try (DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16))) {
        for (long sequence = 0; ; sequence += plan.recordsPerRequest()) {
          if (in.available() == 0) {
            journal.handOver();
          }
          take(answer(in), sequence);
          credits.release();
        }
      } catch (IOException e) {
        broken = true;
        credits.release(plan.window() * 2);
      }
    }

    private void take(Response answer, long sequence) throws IOException {
      if (answer instanceof ProduceAck ack) {
        journal.add(
            new AckJournal.Ack(
                plan.topic(), partition.partition(), run, number, sequence, ack.baseOffset(), plan.recordsPerRequest(),
                System.currentTimeMillis()));
        synchronized (ackedRecords) {
          ackedRecords.addAndGet(plan.recordsPerRequest());
          ackedRecords.notifyAll();
        }
      } else if (answer instanceof ErrorReply error) {
        refusals.computeIfAbsent(error.code() + " " + error.message(), k -> new AtomicLong()).incrementAndGet();
      } else {
        throw new IOException("not an answer to PRODUCE: " + answer);
      }
    }

    private Response answer(DataInputStream in) throws IOException {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      try {
        return Responses.decode(frame[0] & 0xff, frame, 1, frame.length);
      } catch (ProtocolException e) {
        throw new IOException(e);
      }
    }
  }

  /** A value that says whose it is and carries a CRC: {@code run i64 | connection i32 | sequence i64 | filler | crc32c i32}. */
  static final class RecordValue {
    static final int MIN_BYTES = 24;

    private RecordValue() {}

    static byte[] encode(long run, int connection, long sequence, int sizeBytes) {
      ByteBuffer value = ByteBuffer.allocate(sizeBytes);
      value.putLong(run).putInt(connection).putLong(sequence);
      for (int i = value.position(); i < sizeBytes - 4; i++) {
        value.put((byte) (sequence * 31 + i));
      }
      return value.putInt(crcOf(value.array())).array();
    }

    static boolean isIntact(byte[] value) {
      return value.length >= MIN_BYTES && ByteBuffer.wrap(value).getInt(value.length - 4) == crcOf(value);
    }

    static int crcOf(byte[] value) {
      java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
      crc.update(value, 0, value.length - 4);
      return (int) crc.getValue();
    }
  }
}
