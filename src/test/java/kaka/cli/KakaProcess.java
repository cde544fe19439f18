package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One run of the real jar, as a person would start it, in a working directory of its own. */
public final class KakaProcess implements AutoCloseable {
  private static final long LIMIT_SECONDS = 30;

  private final Process process;
  private final BufferedReader stdout;
  private final Path stderr;

  private KakaProcess(Process process, Path stderr) {
    this.process = process;
    this.stdout = process.inputReader(StandardCharsets.UTF_8);
    this.stderr = stderr;
  }

  /**
   * Starts {@code java -jar kaka.jar ARGUMENTS}.
   *
   * @param environment added to this process's, of which no KAKA_ variable is passed on
   */
  public static KakaProcess start(Path workingDirectory, Map<String, String> environment, String... arguments)
      throws IOException {
    return start(workingDirectory, environment, List.of("-jar", jar()), arguments);
  }

  /** Starts another main class, of the tests, with the jar on its class path. */
  public static KakaProcess startMain(Path workingDirectory, Class<?> main, String... arguments) throws IOException {
    String testClasses = Path.of(main.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    return startMain(workingDirectory, Path.of(testClasses), main.getName(), arguments);
  }

  /** Starts a main class with a directory of classes and resources before the jar. */
  static KakaProcess startMain(Path workingDirectory, Path before, String main, String... arguments) throws IOException {
    List<String> program = List.of("-cp", before + java.io.File.pathSeparator + jar(), main);
    return start(workingDirectory, Map.of(), program, arguments);
  }

  /** Starts the launcher, {@code ops/kaka ARGUMENTS}. */
  public static KakaProcess startLauncher(Path workingDirectory, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of("ops/kaka").toAbsolutePath().toString()));
    command.addAll(List.of(arguments));
    return start(workingDirectory, environment, command);
  }

  static String jar() {
    return Path.of(System.getProperty("kaka.jar")).toAbsolutePath().toString();
  }

  private static KakaProcess start(
      Path workingDirectory, Map<String, String> environment, List<String> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 23) {
      command.add("--sun-misc-unsafe-memory-access=allow"); // newer JVMs warn on stderr about Akka's use of it
    }
    command.addAll(program);
    command.addAll(List.of(arguments));
    return start(workingDirectory, environment, command);
  }

  private static KakaProcess start(Path workingDirectory, Map<String, String> environment, List<String> command) throws IOException {
    Path stderr = Files.createTempFile(workingDirectory, "stderr", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(workingDirectory.toFile()).redirectError(stderr.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KAKA_"));
    builder.environment().put("KAKA_ADMIN_PORT", "off"); // there may be many at a time
    builder.environment().putAll(environment);
    return new KakaProcess(builder.start(), stderr);
  }

  /** The line that ends a successful start. */
  public String awaitReady() throws IOException {
    for (String line = stdout.readLine(); line != null; line = stdout.readLine()) {
      if (line.startsWith("kaka ready ")) {
        return line;
      }
    }
    return fail("ended without a ready line; stderr: " + Files.readString(stderr));
  }

  /** Where it listens, from its ready line. */
  public static int port(String readyLine) {
    return Integer.parseInt(readyLine.replaceAll(".* listen=\\S*:(\\d+) .*", "$1"));
  }

  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start().waitFor();
  }

  /** All processes it has started that run, and theirs. */
  public List<ProcessHandle> descendants() {
    return process.descendants().toList();
  }

  public long pid() {
    return process.pid();
  }

  public int exitCode() throws InterruptedException {
    assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "still running");
    return process.exitValue();
  }

  /** Its standard input, a pipe. */
  public OutputStream stdin() {
    return process.getOutputStream();
  }

  /** The next line of stdout. */
  public String stdoutLine() throws IOException {
    return stdout.readLine();
  }

  /** What is left of stdout, to its end. */
  public List<String> stdout() {
    return stdout.lines().toList();
  }

  public String stderr() throws IOException {
    return Files.readString(stderr);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
