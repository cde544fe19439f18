package kaka.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;

/** One thread, one selector, and the connections that they drive until all are done, one fails, or the broker is silent. */
final class BenchLoop implements Runnable {
  private static final long SILENCE_NS = 30_000_000_000L;
  private static final int SCRATCH_BYTES = 256 << 10;

  /** How long at most to wait for nothing: {@link Times} can end meanwhile. */
  private static final long LONGEST_WAIT_MS = 50;

  /** A selector waits whole milliseconds; what is due sooner is waited for in steps of this. */
  private static final long STEP_NS = 50_000;

  private record Due(long dueNs, BenchConnection connection) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      return Long.compare(dueNs, other.dueNs);
    }
  }

  private final Selector selector;
  private final List<BenchConnection> connections = new ArrayList<>();
  private final PriorityQueue<Due> due = new PriorityQueue<>();
  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private final Thread thread;
  private long heardNs = System.nanoTime();
  private IOException failure;

  BenchLoop(String name) throws IOException {
    this.selector = Selector.open();
    this.thread = new Thread(this, name);
    thread.setDaemon(true);
  }

  void add(BenchConnection connection) throws IOException {
    connection.channel.configureBlocking(false);
    connection.registered(connection.channel.register(selector, SelectionKey.OP_READ, connection));
    connections.add(connection);
  }

  void start() {
    thread.start();
  }

  /** Waits until it has ended; returns what went wrong, if anything did. */
  Optional<IOException> join() {
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return Optional.ofNullable(failure);
  }

  @Override
  public void run() {
    try (selector) {
      long now = System.nanoTime();
      heardNs = now;
      for (BenchConnection connection : connections) {
        sendAndPlan(connection, now);
      }
      while (!isDone()) {
        turn();
      }
    } catch (IOException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure = new IOException("bug: " + e, e);
    }
  }

  private boolean isDone() {
    long now = System.nanoTime();
    for (BenchConnection connection : connections) {
      if (!connection.isDone(now)) {
        return false;
      }
    }
    return true;
  }

  private void turn() throws IOException {
    select();
    for (SelectionKey key : selector.selectedKeys()) {
      BenchConnection connection = (BenchConnection) key.attachment();
      if (key.isReadable()) {
        connection.receive(scratch);
        heardNs = System.nanoTime();
      }
      sendAndPlan(connection, System.nanoTime());
    }
    selector.selectedKeys().clear();
    long now = System.nanoTime();
    while (!due.isEmpty() && due.peek().dueNs() - now <= 0) {
      Due next = due.poll();
      if (next.dueNs() == next.connection().plannedNs()) { // else it was planned anew, for earlier
        next.connection().plan(Long.MAX_VALUE);
        sendAndPlan(next.connection(), now);
      }
    }
    if (now - heardNs > SILENCE_NS && connections.stream().anyMatch(BenchConnection::isWaiting)) {
      throw new IOException("no answer for " + SILENCE_NS / 1_000_000_000 + " s");
    }
  }

  private void sendAndPlan(BenchConnection connection, long now) throws IOException {
    connection.send(now);
    long next = connection.nextDueNs(now);
    if (next < connection.plannedNs()) {
      connection.plan(next);
      due.add(new Due(next, connection));
    }
  }

  private void select() throws IOException {
    if (due.isEmpty()) {
      selector.select(LONGEST_WAIT_MS);
      return;
    }
    long waitMs = (due.peek().dueNs() - System.nanoTime()) / 1_000_000;
    if (waitMs >= 2) {
      selector.select(Math.min(waitMs - 1, LONGEST_WAIT_MS));
    } else if (selector.selectNow() == 0 && due.peek().dueNs() - System.nanoTime() > 0) {
      LockSupport.parkNanos(STEP_NS);
      selector.selectNow();
    }
  }
}
