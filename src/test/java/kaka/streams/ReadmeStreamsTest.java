package kaka.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.ActorSystem;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.client.ReadmeCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of README.md that use Akka Streams, and those that start a broker, compile without a warning and do what they say. */
class ReadmeStreamsTest {
  private static final String IMPORTS =
      """
      import akka.Done;
      import akka.actor.ActorSystem;
      import akka.stream.javadsl.*;
      import akka.util.ByteString;
      import java.nio.file.Path;
      import java.util.*;
      import java.util.concurrent.CompletionStage;
      import kaka.broker.KakaBroker;
      import kaka.client.*;
      import kaka.record.TopicPartition;
      import kaka.streams.KakaStreams;

      """;

  @TempDir
  private Path directory;

  private Object run(String body, Class<?>[] types, Object... arguments) throws Exception {
    Path source = Files.writeString(directory.resolve("Pasted.java"), IMPORTS + "public class Pasted {\n" + body + "\n}\n");
    ReadmeCode.compile(source, directory);
    try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      return loader.loadClass("Pasted").getMethod("run", types).invoke(null, arguments);
    }
  }

  @Test
  void aFileGoesInAndComesOut() throws Exception {
    List<String> lines = IntStream.range(0, 1000).mapToObj(i -> "line " + i).toList();
    Path file = Files.write(directory.resolve("lines"), lines);
    ActorSystem system = ActorSystem.create("pasted");
    try (TestBroker broker = TestBroker.start("");
        KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1:" + broker.address().getPort()))) {
      String body =
          "public static List<String> run(KakaClient client, ActorSystem system, Path file) {\n" + ReadmeCode.blocks().get(1)
              + "stored.toCompletableFuture().join();\n"
              + "return read.toCompletableFuture().join().stream().map(record -> new String(record.value())).toList();\n}";

      Object read = run(body, new Class<?>[] {KakaClient.class, ActorSystem.class, Path.class}, client, system, file);

      assertEquals(lines.subList(0, 100), read);
    } finally {
      akka.testkit.javadsl.TestKit.shutdownActorSystem(system);
    }
  }

  @Test
  void aBrokerRunsInsideTheJvm() throws Exception {
    String pasted = ReadmeCode.blocks().get(2).replace("}\n", "return client.admin().describeTopic(\"orders\").join().partitions().size();\n}\n");

    assertEquals(3, run("public static int run() throws Exception {\n" + pasted + "}", new Class<?>[0]));
  }
}
