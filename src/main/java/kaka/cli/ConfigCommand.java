package kaka.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import kaka.config.ConfigException;
import kaka.config.ConfigSources;
import kaka.config.KakaConfig;
import kaka.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kaka config}: what is in force and where each value came from; checks as a start would. */
@Command(
    name = "config",
    description = "Check the configuration and print what is in force, and where each value came from.",
    footer = {
      "",
      "The output is HOCON: what it prints can be put into application.conf.",
      "Example:  KAKA_LISTEN_PORT=9192 kaka config --config /etc/kaka/application.conf"
    })
final class ConfigCommand implements Callable<Integer> {
  @Option(names = "--config", paramLabel = "FILE", description = "Read this HOCON file instead of ./application.conf.")
  private Path file;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Override
  public Integer call() {
    try {
      Settings settings = Settings.read(ConfigSources.ofProcess(Optional.ofNullable(file), List.of()));
      KakaConfig.of(settings);
      for (Settings.Setting setting : settings.inForce()) {
        System.out.println(setting.key() + " = " + setting.value() + "  # " + setting.origin());
      }
      return ExitCode.OK;
    } catch (ConfigException e) {
      e.problems().forEach(problem -> System.err.println("kaka: " + problem));
      return ExitCode.USAGE;
    }
  }
}
