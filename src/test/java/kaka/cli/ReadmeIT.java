package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import kaka.broker.TestBroker;
import kaka.log.MemoryDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README.md and OPERATION.md say to paste works when pasted. */
class ReadmeIT {
  @TempDir
  private Path directory;

  /** As pasted, but for the build, which has been done, and the port, which may be taken here. */
  @Test
  void transcriptWorksWhenPasted() throws Exception {
    String transcript = blockAfter("README.md", "## Try it").stream().filter(line -> !line.startsWith("mvn ")).collect(Collectors.joining("\n"));
    Files.createDirectory(directory.resolve("target"));
    Files.copy(Path.of(System.getProperty("kaka.jar")), directory.resolve("target/kaka.jar"));
    int port = freePort();
    File output = directory.resolve("output.txt").toFile();
    ProcessBuilder bash = new ProcessBuilder("bash", "-c", transcript).directory(directory.toFile()).redirectOutput(output);
    bash.environment().keySet().removeIf(name -> name.startsWith("KAKA_"));
    bash.environment().put("KAKA_LISTEN_PORT", Integer.toString(port));
    bash.environment().put("KAKA_ADMIN_PORT", "off");
    bash.environment().put("KAKA_BROKER", "127.0.0.1:" + port);
    bash.environment().put("PATH", Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH"));

    Process process = bash.redirectErrorStream(true).start();

    assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> "still running; so far: " + read(output));
    List<String> printed = read(output).lines().toList();
    assertEquals(0, process.exitValue(), () -> read(output));
    assertEquals("stopped cleanly", printed.get(printed.size() - 1), () -> read(output));
    List<String> records = printed.stream().filter(List.of("one", "two", "three")::contains).toList();
    assertEquals(List.of("one", "two", "three", "one", "two", "three"), records, () -> read(output));
  }

  /** What is said of each line with curl is what it does; as pasted, but for the port. */
  @Test
  void linesWithCurlDoWhatTheySay() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0, kaka.console.write = true", new MemoryDisk())) {
      String admin = "127.0.0.1:" + broker.adminAddress().orElseThrow().getPort();
      List<String> block = blockAfter("ops/OPERATION.md", "## HTTP API");
      File output = directory.resolve("output.txt").toFile();
      String pasted = String.join("\n", block).replace("127.0.0.1:9644", admin);
      Process process = new ProcessBuilder("bash", "-ec", pasted).redirectOutput(output).redirectErrorStream(true).start();

      assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> "still running; so far: " + read(output));
      assertEquals(0, process.exitValue(), () -> read(output));
      List<String> answers = read(output).lines().toList();
      String[] said = {
        "\"partitions\":3", "\"offset\":0", "\"offset\":2", "\"records\":3", "third", "\"next_offset\":3", "\"committed\"", "\"lag\":2", "\"to\":3", "\"log_start\":2",
        "\"produced_records\":3", "readers", "sales"
      };
      assertEquals(block.stream().filter(line -> line.startsWith("ask ")).count(), answers.size(), () -> read(output));
      assertEquals(said.length, answers.size(), () -> read(output));
      for (int i = 0; i < said.length; i++) {
        assertTrue(answers.get(i).contains(said[i]), said[i] + " in " + answers.get(i));
      }
      assertFalse(answers.get(5).contains("first"), answers.get(5));
    }
  }

  /** The first shell block below a line that begins so. */
  private static List<String> blockAfter(String document, String begin) throws IOException {
    List<String> from = Files.readAllLines(Path.of(document)).stream().dropWhile(line -> !line.startsWith(begin)).toList();
    List<String> block = from.subList(from.indexOf("```sh") + 1, from.size());
    return block.subList(0, block.indexOf("```"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String read(File file) {
    try {
      return Files.readString(file.toPath());
    } catch (IOException e) {
      return e.toString();
    }
  }
}
