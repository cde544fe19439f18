package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import kaka.broker.TestBroker;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java program in README.md compiles without a warning and does what it says. */
class ReadmeExampleTest {
  @TempDir
  private Path directory;

  @Test
  void programCompilesAndRuns() throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      String address = "127.0.0.1:" + broker.address().getPort();
      String program = program();
      assertTrue(program.contains("127.0.0.1:9092"));
      Path source = Files.writeString(directory.resolve("Hello.java"), program.replace("127.0.0.1:9092", address));

      compile(source);
      try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
        loader.loadClass("Hello").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
      }

      TopicPartition greetings = new TopicPartition("greetings", 0);
      try (KakaClient client = KakaClient.connect(ClientConfig.of(address));
          Consumer consumer = client.consumer(ConsumerConfig.defaults(), Map.of(greetings, StartPosition.EARLIEST))) {
        List<ConsumedRecord> stored = consumer.poll(Duration.ofSeconds(20));
        assertEquals(1, stored.size());
        assertArrayEquals("hello".getBytes(UTF_8), stored.get(0).value());
      }
    }
  }

  private static String program() throws Exception {
    List<String> readme = Files.readAllLines(Path.of("README.md"));
    List<String> from = readme.subList(readme.indexOf("```java") + 1, readme.size());
    return String.join("\n", from.subList(0, from.indexOf("```"))) + "\n";
  }

  private void compile(Path source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String[] arguments = {
      "-Xlint:all", "-cp", System.getProperty("java.class.path"), "-d", directory.toString(), source.toString()
    };
    assertEquals(0, compiler.run(null, said, said, arguments), () -> said.toString(UTF_8));
  }
}
