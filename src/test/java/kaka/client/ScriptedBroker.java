package kaka.client;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.ProducerIdentity;
import kaka.protocol.Request;
import kaka.protocol.Requests;
import kaka.protocol.Response;

/** A peer on a real socket that does what no healthy broker does: it answers as its script says, late, wrong or never. */
final class ScriptedBroker implements AutoCloseable {
  /** What the broker does with each request; called on that connection's thread. */
  interface Script {
    void received(Request request, Peer peer) throws IOException;
  }

  /** One connection, seen from here. */
  static final class Peer {
    /** Counts connections from 0, in the order of their arrival. */
    final int number;

    private final Socket socket;

    private Peer(int number, Socket socket) {
      this.number = number;
      this.socket = socket;
    }

    void send(Response response) throws IOException {
      send(response.toFrame());
    }

    synchronized void send(byte[] bytes) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
    }

    /** Bytes that have arrived and not been read. */
    int unread() throws IOException {
      return socket.getInputStream().available();
    }

    void hangUp() throws IOException {
      socket.close();
    }
  }

  /** What a producer is told that it is. */
  static final ProducerIdentity PRODUCER = new ProducerIdentity(4711, (short) 0);

  static final HelloReply HELLO = hello(64, 32 << 20);

  private final ServerSocket server;
  private final Script script;
  private final Thread acceptor;
  private final AtomicInteger accepted = new AtomicInteger();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  private ScriptedBroker(int port, Script script) throws IOException {
    this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    this.script = script;
    this.acceptor = start("scripted-broker", this::accept);
  }

  /** One that answers HELLO with {@code hello}, METADATA with one partition for every topic, and leaves the rest to the script. */
  static ScriptedBroker answering(HelloReply hello, Script script) throws IOException {
    return raw(
        (request, peer) -> {
          if (request instanceof Hello asked) {
            peer.send(asked.wantsProducerId() ? hello.withProducer(PRODUCER) : hello);
          } else if (request instanceof Metadata metadata) {
            peer.send(
                new MetadataReply(
                    metadata.topics().stream().map(topic -> MetadataReply.Topic.of(topic, new UUID(1, 1), 1)).toList()));
          } else {
            script.received(request, peer);
          }
        });
  }

  /** One that leaves everything to the script. */
  static ScriptedBroker raw(Script script) throws IOException {
    return new ScriptedBroker(0, script);
  }

  static HelloReply hello(int windowRequests, int windowBytes) {
    return new HelloReply(Hello.VERSION, windowRequests, windowBytes, 1 << 20, 1 << 20, new UUID(7, 7), "scripted");
  }

  /** Tells a client where this is; its waits are short enough for a test. */
  ClientConfig config() {
    return ClientConfig.of(server.getInetAddress().getHostAddress(), server.getLocalPort())
        .withRequestTimeout(Duration.ofSeconds(5))
        .withRetryBackoff(Duration.ofMillis(1), Duration.ofMillis(10));
  }

  /** From now on connections are refused; those that are there go on. */
  void stopListening() throws IOException {
    server.close();
  }

  int acceptedConnections() {
    return accepted.get();
  }

  private void accept() throws IOException {
    while (!server.isClosed()) {
      Socket socket = server.accept();
      sockets.add(socket);
      Peer peer = new Peer(accepted.getAndIncrement(), socket);
      start("scripted-peer-" + peer.number, () -> serve(socket, peer));
    }
  }

  private void serve(Socket socket, Peer peer) throws Exception {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    while (true) {
      int length = in.readInt();
      int type = in.readUnsignedByte();
      byte[] body = in.readNBytes(length - 1);
      script.received(Requests.decode(type, body, 0, body.length, 0), peer);
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private Thread start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // the other side, or the test, has closed it
              } catch (Exception | AssertionError e) {
                failures.add(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void joinAcceptor() {
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    joinAcceptor(); // as long as it is in accept, the kernel may give it one more connection
    for (Socket socket : sockets) {
      socket.close();
    }
    for (Throwable failure : failures) {
      throw new AssertionError("in the script", failure);
    }
  }
}
