package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** The Java in README.md. */
public final class ReadmeCode {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");

  private ReadmeCode() {}

  /** In their order. */
  public static List<String> blocks() throws IOException {
    return BLOCK.matcher(Files.readString(Path.of("README.md"))).results().map(found -> found.group(1)).toList();
  }

  /** Without a warning, into that directory. */
  public static void compile(Path source, Path directory) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String[] arguments = {"-Xlint:all", "-cp", System.getProperty("java.class.path"), "-d", directory.toString(), source.toString()};
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, said, said, arguments), () -> said.toString(UTF_8));
  }
}
