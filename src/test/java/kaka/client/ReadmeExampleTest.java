package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
      String program = ReadmeCode.blocks().get(0);
      assertTrue(program.contains("127.0.0.1:9092"));
      Path source = Files.writeString(directory.resolve("Hello.java"), program.replace("127.0.0.1:9092", address));

      ReadmeCode.compile(source, directory);
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
}
