package kaka.cli;

import java.util.Collection;
import java.util.TreeSet;
import kaka.config.Spelling;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Why a command line makes no sense, in one line; of a word that nothing is called, with what may have been meant. */
final class UsageMessage {
  private UsageMessage() {}

  static String of(ParameterException e) {
    return e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()
        ? unknown(unmatched, e.getCommandLine().getCommandSpec())
        : String.valueOf(e.getMessage()).replace("option option", "option"); // picocli's, of one that is a map
  }

  private static String unknown(UnmatchedArgumentException e, CommandSpec spec) {
    String word = e.getUnmatched().get(0);
    if (e.isUnknownOption()) {
      String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      return "no option '" + name + "'" + Spelling.meant(name, spec.optionsMap().keySet()).map(UsageMessage::question).orElse("");
    }
    if (spec.subcommands().isEmpty()) {
      return "'" + word + "' is one argument too many";
    }
    Collection<String> commands = new TreeSet<>(spec.subcommands().keySet());
    return "no command '" + word + "'" + Spelling.meant(word, commands).map(UsageMessage::question).orElse(": one of " + String.join(", ", commands));
  }

  private static String question(String name) {
    return ", did you mean " + name + "?";
  }
}
