package kaka.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code kaka status}: how a running broker is, what is wrong with it and what to do, from its admin server. */
@Command(
    name = "status",
    description = "Show how a running broker is, what is wrong and what to do. Asks its admin server (kaka.admin.port).",
    footer = {"", "Exit codes: 0 all is well, 1 something is wrong or nobody answers, 2 wrong usage.", "", "Example:  kaka status --json"})
final class StatusCommand implements Callable<Integer> {
  private static final int TIMEOUT_MS = 10_000;

  /** A status has no lists of more than a hundred things. */
  private static final int MAX_BYTES = 4 << 20;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:KAKA_ADMIN:-127.0.0.1:9644}",
      description = "The broker's admin server; default: environment variable KAKA_ADMIN, or 127.0.0.1:9644.")
  private String admin;

  @Option(names = "--json", description = "Print everything as one line of JSON.")
  private boolean json;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  StatusCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    if (!admin.matches("(\\[[0-9a-fA-F:.%]+]|[^:/\\s]+):\\d{1,5}")) {
      throw new ParameterException(spec.commandLine(), "--admin " + admin + ": expected HOST:PORT");
    }
    String body;
    try {
      body = get(new URL("http://" + admin + "/status"));
    } catch (IOException e) {
      streams.complain("no answer from the admin server at " + admin + ": " + e.getMessage()
          + "; is the broker running, is this its kaka.admin.port, or is that off?");
      return ExitCode.FAILED;
    }
    Config status;
    boolean ready;
    String text;
    try {
      status = ConfigFactory.parseString(body, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
      ready = status.getBoolean("ready");
      text = StatusText.of(admin, status);
    } catch (ConfigException e) {
      streams.complain("what answers at " + admin + " is not kaka's admin server");
      return ExitCode.FAILED;
    }
    streams.out().write((json ? body.strip() + "\n" : text).getBytes(StandardCharsets.UTF_8));
    streams.out().flush();
    return ready ? ExitCode.OK : ExitCode.FAILED;
  }

  private static String get(URL url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) url.openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setInstanceFollowRedirects(false);
    try {
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException("it answered " + connection.getResponseCode());
      }
      try (InputStream in = connection.getInputStream()) {
        return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
      }
    } finally {
      connection.disconnect();
    }
  }
}
