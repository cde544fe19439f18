package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transcript in README.md works when pasted. */
class ReadmeIT {
  @TempDir
  private Path directory;

  /** As pasted, but for the build, which has been done, and the port, which may be taken here. */
  @Test
  void transcriptWorksWhenPasted() throws Exception {
    String transcript = transcript().stream().filter(line -> !line.startsWith("mvn ")).collect(Collectors.joining("\n"));
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

  /** The first shell block below "Try it". */
  private static List<String> transcript() throws IOException {
    List<String> readme = Files.readAllLines(Path.of("README.md"));
    List<String> from = readme.subList(readme.indexOf("## Try it"), readme.size());
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
