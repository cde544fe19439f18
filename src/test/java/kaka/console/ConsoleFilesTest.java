package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kaka.broker.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's files as they are, without a browser: whole, of this host alone, and with nothing that reads a record as markup. */
class ConsoleFilesTest {
  /** Where the broker serves them. */
  private static final String SERVED_AT = "/console/";

  private static final int MOST_LINES = 400;
  private static final String SVG_NAMESPACE = "http://www.w3.org/2000/svg"; // a name, never asked for

  private static final Pattern HTML_REFERENCE = Pattern.compile("(?:href|src)=\"([^\"#]+)\"");
  private static final Pattern IMPORT = Pattern.compile("import\\s+(?:\\{([^}]*)}|\\*\\s+as\\s+\\w+)?\\s*(?:from\\s*)?\"([^\"]+)\"");
  private static final Pattern EXPORT = Pattern.compile("export\\s+(?:async\\s+)?(?:const|let|function|class)\\s+(\\w+)");
  private static final Pattern QUOTED_FILE = Pattern.compile("\"(/console/[^\"]+)\"");

  /** What would let a record's contents, or anybody else's, become part of the page, or would need a weaker Content-Security-Policy. */
  private static final List<Pattern> FORBIDDEN =
      Stream.of(
              "innerHTML", "outerHTML", "insertAdjacentHTML", "document\\.write", "DOMParser", "createContextualFragment", "srcdoc",
              "\\beval\\s*\\(", "new\\s+Function", "javascript:", "setTimeout\\(\\s*[\"'`]", "<style", "\\sstyle=", "\"style\"",
              "[{,]\\s*style:", "<[a-z][^>]*\\son[a-z]+=", "<script(?![^>]*\\ssrc=)", "@import", "\\bdata:")
          .map(Pattern::compile)
          .toList();

  private static final Pattern OTHER_HOST = Pattern.compile("[a-z+]+://|[\"'(]//");

  private static Path root() throws URISyntaxException {
    return Path.of(ConsoleFilesTest.class.getResource("/kaka/console/index.html").toURI()).getParent();
  }

  /** Text by name, such as {@code js/main.js}. The classes of this package lie beside them. */
  static Map<String, String> files() throws IOException, URISyntaxException {
    Path root = root();
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> walk = Files.walk(root)) {
      for (Path file : walk.filter(Files::isRegularFile).filter(each -> !each.toString().endsWith(".class")).toList()) {
        files.put(root.relativize(file).toString(), Files.readString(file));
      }
    }
    return files;
  }

  @Test
  void whatAFileRefersToIsThereAndWhatIsThereIsReferredTo() throws Exception {
    Map<String, String> files = files();
    Set<String> referredTo = new TreeSet<>(Set.of("index.html"));

    files.forEach((name, text) -> referredTo.addAll(references(name, text)));

    assertEquals(files.keySet(), referredTo);
  }

  private static List<String> references(String name, String text) {
    if (name.endsWith(".html")) {
      return HTML_REFERENCE.matcher(text).results().map(found -> served(found.group(1))).toList();
    }
    if (!name.endsWith(".js")) {
      return List.of();
    }
    Stream<String> imported = imports(text).stream().map(found -> resolve(name, found.group(2)));
    Stream<String> quoted = QUOTED_FILE.matcher(text).results().map(found -> served(found.group(1)));
    return Stream.concat(imported, quoted).toList();
  }

  private static List<MatchResult> imports(String text) {
    return IMPORT.matcher(text).results().toList();
  }

  private static String served(String reference) {
    assertTrue(reference.startsWith(SERVED_AT), reference);
    return reference.substring(SERVED_AT.length());
  }

  private static String resolve(String name, String reference) {
    assertTrue(reference.startsWith("./") || reference.startsWith("../"), name + " imports " + reference);
    return Path.of(name).resolveSibling(reference).normalize().toString();
  }

  /** A browser finds this only when it loads the module. */
  @Test
  void whatAModuleImportsIsExported() throws Exception {
    Map<String, String> files = files();
    int imported = 0;

    for (Map.Entry<String, String> file : files.entrySet()) {
      for (MatchResult found : file.getKey().endsWith(".js") ? imports(file.getValue()) : List.<MatchResult>of()) {
        String module = resolve(file.getKey(), found.group(2));
        for (String name : found.group(1) == null ? new String[0] : found.group(1).split(",")) {
          String original = name.trim().split("\\s+as\\s+")[0];
          assertTrue(exports(files.get(module)).contains(original), file.getKey() + ": " + module + " has no " + original);
          imported++;
        }
      }
    }

    assertTrue(imported > 100, "the pattern finds imports: " + imported);
  }

  private static Set<String> exports(String text) {
    return EXPORT.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
  }

  @Test
  void nothingRefersToAnotherHost() throws Exception {
    files().forEach((name, text) -> assertTrue(!refersToAnotherHost(text), name));
  }

  private static boolean refersToAnotherHost(String text) {
    return OTHER_HOST.matcher(text.replace(SVG_NAMESPACE, "")).find();
  }

  @Test
  void nothingIsReadAsMarkupOrScript() throws Exception {
    files()
        .forEach(
            (name, text) -> FORBIDDEN.forEach(pattern -> assertTrue(!pattern.matcher(text).find(), name + " has " + pattern)));
  }

  /** That the patterns above would find what they are there for. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "node.innerHTML = value", "<p onclick=\"f()\">", "<script>f()</script>", "<p style=\"color: red\">", "eval (text)",
        "h(\"p\", { style: \"x\" })", "<a href=\"javascript:f()\">", "setTimeout(\"f()\", 1)", "<style>"
      })
  void forbiddenTextIsFound(String text) {
    assertTrue(FORBIDDEN.stream().anyMatch(pattern -> pattern.matcher(text).find()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fetch(\"https://example.org/x\")", "src=\"//example.org/x.js\"", "url(//example.org/x)", "new WebSocket('wss://x')"})
  void otherHostsAreFound(String text) {
    assertTrue(refersToAnotherHost(text));
  }

  /** A browser runs a module, or takes a style, only where it is said to be one. */
  @Test
  void everyFileIsServedAsWhatItIs() throws Exception {
    Map<String, String> types = Map.of("html", "text/html", "css", "text/css", "js", "text/javascript", "svg", "image/svg+xml");
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0\n")) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      for (Map.Entry<String, String> file : files().entrySet()) {
        String name = file.getKey();
        HttpResponse<String> answer = admin.get(SERVED_AT + name);
        assertEquals(200, answer.statusCode(), name);
        assertEquals(file.getValue(), answer.body(), name);
        String type = answer.headers().firstValue("content-type").orElseThrow().split(";")[0];
        assertEquals(types.get(name.substring(name.lastIndexOf('.') + 1)), type, name);
      }
    }
  }

  @Test
  void filesAreShort() throws Exception {
    files().forEach((name, text) -> assertTrue(text.lines().count() <= MOST_LINES, name));
  }
}
