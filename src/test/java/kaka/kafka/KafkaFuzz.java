package kaka.kafka;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;

/** Mutated frames of Kafka's protocol over many connections. Also a program: {@code HOST PORT COUNT SEED}. */
public final class KafkaFuzz {
  private final InetSocketAddress address;
  private final Random random;
  private final List<byte[]> seeds = new ArrayList<>();

  KafkaFuzz(InetSocketAddress address, long seed) {
    this.address = address;
    this.random = new Random(seed);
    for (ApiKeys key : ApiKeys.values()) {
      Apis.find(key)
          .ifPresent(
              entry -> {
                for (int version = entry.least(); version <= entry.most(); version++) {
                  seeds.add(KafkaSocket.frame(key, version, seeds.size(), KafkaRequests.full(key, version)));
                }
              });
    }
  }

  public static void main(String[] args) throws IOException {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    long seed = args.length > 3 ? Long.parseLong(args[3]) : System.nanoTime();
    System.out.println("seed " + seed);
    new KafkaFuzz(address, seed).run(Integer.parseInt(args[2]));
  }

  /** Sends that many frames; every connection ends, or answers, or is cut off by us. */
  void run(int count) throws IOException {
    for (int sent = 0; sent < count; ) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      int burst = 1 + random.nextInt(40);
      for (int i = 0; i < burst; i++, sent++) {
        out.writeBytes(mutated(seeds.get(random.nextInt(seeds.size()))));
      }
      try (KafkaSocket connection = new KafkaSocket(address)) {
        connection.send(out.toByteArray());
        if (random.nextInt(4) != 0) { // else it is closed with whatever is under way
          connection.socket().shutdownOutput();
          connection.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
        }
      } catch (SocketException e) { // the broker has closed before everything was sent
        continue;
      }
    }
  }

  /** Mostly the bytes behind the header, which would end the connection before anything is read; never the frame's length alone. */
  private byte[] mutated(byte[] seed) {
    byte[] frame = seed.clone();
    int changes = random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      int from = random.nextInt(8) == 0 ? 4 : Math.min(12, frame.length - 1);
      int at = from + random.nextInt(frame.length - from);
      switch (random.nextInt(4)) {
        case 0 -> frame[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> frame[at] = (byte) random.nextInt(256);
        case 2 -> fill(frame, at, (byte) -1);
        default -> fill(frame, at, (byte) 0x7f);
      }
    }
    return switch (random.nextInt(6)) {
      case 0 -> resized(frame, 4 + random.nextInt(frame.length - 3));
      case 1 -> resized(frame, frame.length + random.nextInt(64));
      default -> frame;
    };
  }

  /** A length, or a count, as large as it gets. */
  private static void fill(byte[] frame, int at, byte value) {
    for (int i = at; i < Math.min(frame.length, at + 4); i++) {
      frame[i] = value;
    }
  }

  /** Cut, or with bytes after it; the length says so. */
  private static byte[] resized(byte[] frame, int size) {
    byte[] resized = java.util.Arrays.copyOf(frame, size);
    ByteBuffer.wrap(resized).putInt(0, Math.max(1, size - 4));
    return resized.length < 5 ? frame : resized;
  }
}
