package kaka.cli;

import java.nio.file.Path;
import java.util.List;
import kaka.broker.SlowDisk;

/**
 * {@code kaka serve} on a slow disk, for {@code ops/checks}: every sync takes {@code -Dcheck.sync-delay-ms} more, and none
 * returns while the file {@code -Dcheck.stuck-file} exists.
 */
public final class SlowDiskServe {
  private SlowDiskServe() {}

  public static void main(String[] args) {
    long delayMs = Long.getLong("check.sync-delay-ms", 0);
    Path stuckWhile = Path.of(System.getProperty("check.stuck-file", "/nonexistent/stuck"));
    List<String> flags = List.of(args).subList(1, args.length);
    ServeCommand serve = new ServeCommand(config -> SlowDisk.startBroker(config, delayMs, stuckWhile));
    System.exit(serve.run(ServeArguments.ofPlain(flags).orElseThrow()));
  }
}
