package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests that run client commands in this JVM, against a real broker that keeps its log in memory. */
abstract class CommandRunning {
  /** The common pool has one thread on two cores, and other parts of the JVM want it too. */
  static final Executor OWN_THREAD = command -> new Thread(command, "command").start();

  static Broker broker;
  private static int topics;

  @TempDir Path directory;

  final String topic = "topic-" + topics++;
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();
  CompletableFuture<Runnable> stop = new CompletableFuture<>();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = memoryBroker();
  }

  @AfterAll
  static void stopBroker() {
    broker.stop().toCompletableFuture().join();
  }

  static Broker memoryBroker() throws Exception {
    return Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"\""));
  }

  static String address(Broker broker) {
    return "127.0.0.1:" + broker.address().getPort();
  }

  int run(InputStream in, OutputStream to, String... arguments) {
    CompletableFuture<Runnable> given = stop;
    Streams streams = new Streams(in, to, new PrintStream(err, true, UTF_8), false, false, given::complete);
    return Main.commandLine(streams).execute(arguments);
  }

  /** Runs a command with {@code --broker}; what it prints is in {@link #out} and {@link #err}. */
  int kaka(byte[] in, String... arguments) {
    out.reset();
    err.reset();
    stop = new CompletableFuture<>();
    return run(new ByteArrayInputStream(in), out, withBroker(broker, arguments));
  }

  static String[] withBroker(Broker broker, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--broker";
    all[arguments.length + 1] = address(broker);
    return all;
  }

  int kaka(String in, String... arguments) {
    return kaka(in.getBytes(UTF_8), arguments);
  }

  static String[] concat(List<String> first, String... more) {
    String[] all = Arrays.copyOf(first.toArray(new String[0]), first.size() + more.length);
    System.arraycopy(more, 0, all, first.size(), more.length);
    return all;
  }
}
