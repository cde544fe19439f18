package kaka.checks;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import kaka.protocol.Commit;
import kaka.protocol.CreateTopic;
import kaka.protocol.MessageType;
import kaka.protocol.Offsets;
import kaka.protocol.Request;
import kaka.record.TopicPartition;

/**
 * Commits offsets of 1,000 entries, 100 groups by 10 partitions, over and over, and looks whether the last of each is there.
 *
 * <pre>
 * flood HOST PORT COMMITS     64 in flight on each of 8 connections; prints how long it took
 * verify HOST PORT COMMITS    exit 1 if an entry has another offset than the flood's last
 * </pre>
 */
public final class OffsetsCheck {
  private static final int GROUPS = 100;
  private static final int PARTITIONS = 10;
  private static final int ENTRIES = GROUPS * PARTITIONS;
  private static final int CONNECTIONS = 8;
  private static final int WINDOW = 64;

  private OffsetsCheck() {}

  public static void main(String[] args) throws Exception {
    long rounds = Long.parseLong(args[3]) / ENTRIES;
    if (args[0].equals("flood")) {
      flood(args[1], Integer.parseInt(args[2]), rounds);
    } else {
      verify(args[1], Integer.parseInt(args[2]), rounds);
    }
  }

  private static void flood(String host, int port, long rounds) throws Exception {
    try (Link link = new Link(host, port)) {
      link.send(new CreateTopic("offsets-check", PARTITIONS, Map.of()).toFrame());
      link.expect(MessageType.CREATE_TOPIC_REPLY);
    }
    long startNs = System.nanoTime();
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int connection = 0; connection < CONNECTIONS; connection++) {
      int first = connection;
      Thread thread =
          new Thread(
              () -> {
                try {
                  commit(host, port, first, rounds);
                } catch (IOException e) {
                  failure.set(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw failure.get();
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    System.out.printf("%d commits in %.1f s, %.0f a second%n", rounds * ENTRIES, seconds, rounds * ENTRIES / seconds);
  }

  /** Every entry that this connection has, once a round. */
  private static void commit(String host, int port, int first, long rounds) throws IOException {
    try (Link link = new Link(host, port)) {
      ByteArrayOutputStream frames = new ByteArrayOutputStream();
      int count = 0;
      for (long round = 1; round <= rounds; round++) {
        for (int entry = first; entry < ENTRIES; entry += CONNECTIONS) {
          frames.writeBytes(new Commit(group(entry), partition(entry), round).toFrame());
          if (++count == WINDOW) {
            link.exchange(frames, count);
            count = 0;
          }
        }
      }
      link.exchange(frames, count);
    }
  }

  private static void verify(String host, int port, long rounds) throws IOException {
    int wrong = 0;
    try (Link link = new Link(host, port)) {
      for (int entry = 0; entry < ENTRIES; entry++) {
        Request request = new Offsets(group(entry), partition(entry));
        link.send(request.toFrame());
        if (link.expect(MessageType.OFFSET).getLong(0) != rounds) {
          wrong++;
        }
      }
    }
    System.out.println(ENTRIES + " entries, " + wrong + " with another offset than " + rounds);
    if (wrong > 0) {
      System.exit(1);
    }
  }

  private static String group(int entry) {
    return "group-" + entry / PARTITIONS;
  }

  private static TopicPartition partition(int entry) {
    return new TopicPartition("offsets-check", entry % PARTITIONS);
  }

  /** A blocking connection. */
  private static final class Link implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    Link(String host, int port) throws IOException {
      socket = new Socket(host, port);
      socket.setTcpNoDelay(true);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      out = socket.getOutputStream();
    }

    void send(byte[] frames) throws IOException {
      out.write(frames);
    }

    /** @return the body */
    java.nio.ByteBuffer expect(int type) throws IOException {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      if ((frame[0] & 0xff) != type) {
        throw new IOException("answered " + new String(frame, 1, frame.length - 1, java.nio.charset.StandardCharsets.UTF_8));
      }
      return java.nio.ByteBuffer.wrap(frame, 1, frame.length - 1).slice();
    }

    void exchange(ByteArrayOutputStream frames, int count) throws IOException {
      send(frames.toByteArray());
      frames.reset();
      for (int i = 0; i < count; i++) {
        expect(MessageType.COMMIT_ACK);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
