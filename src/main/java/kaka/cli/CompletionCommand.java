package kaka.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code kaka completion}: a script that lets bash and zsh complete kaka's commands and flags. */
@Command(
    name = "completion",
    description = "Print a completion script for bash and zsh.",
    footer = {"", "Example:  source <(kaka completion)"})
final class CompletionCommand implements Callable<Integer> {
  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    System.out.print(AutoComplete.bash("kaka", spec.root().commandLine()));
    return ExitCode.OK;
  }
}
