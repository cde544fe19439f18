package kaka.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import kaka.client.GroupAdmin;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka group}: lists and describes consumer groups, moves what they have committed, deletes them. */
@Command(
    name = "group",
    description = "List, describe, reset and delete consumer groups.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:  kaka group describe archive"})
final class GroupCommand implements Callable<Integer> {
  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private GroupCommand() {}

  /** The command and those below it. */
  static CommandLine commandLine(Streams streams) {
    return new CommandLine(new GroupCommand())
        .addSubcommand(new Listing(streams))
        .addSubcommand(new Describe(streams))
        .addSubcommand(new GroupResetCommand(streams))
        .addSubcommand(new Delete(streams));
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected list, describe, reset or delete");
  }

  /** One that is about a single group. */
  @Command
  abstract static class OnOne extends BrokerAction {
    @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
    private String group;

    OnOne(Streams streams) {
      super(streams);
    }

    final String group() {
      return group;
    }

    static GroupAdmin.Description described(KakaClient client, String group) {
      GroupAdmin.Description description = KakaException.await(client.groups().describe(group));
      if (!description.exists()) {
        throw new Refused("no group '" + group + "'");
      }
      return description;
    }
  }

  @Command(
      name = "list",
      description = {
        "List the groups, one a line: name, state, what its members are (consumer, or - if it never had any), type.",
        "",
        "The type is classic where members share the partitions among themselves, as this client's do, consumer where the"
            + " broker does it (KIP-848), simple for a group that only commits.",
        ""
      },
      footer = {"", "Example:  kaka group list | cut -f 1"})
  private static final class Listing extends BrokerAction {
    @Option(names = "--json", description = "Print a JSON array instead.")
    private boolean isJson;

    Listing(Streams streams) {
      super(streams);
    }

    @Override
    String run(KakaClient client) {
      List<GroupAdmin.Listing> groups = KakaException.await(client.groups().list());
      if (isJson) {
        return Json.array(groups.stream().map(Listing::json).toList()) + "\n";
      }
      StringBuilder lines = new StringBuilder();
      for (GroupAdmin.Listing each : groups) {
        String members = each.protocolType().isEmpty() ? "-" : each.protocolType();
        lines.append(each.group() + "\t" + each.state() + "\t" + members + "\t" + type(each) + "\n");
      }
      return lines.toString();
    }

    private static String type(GroupAdmin.Listing group) {
      return group.protocolType().isEmpty() ? "simple" : group.type().toLowerCase(Locale.ROOT);
    }

    private static String json(GroupAdmin.Listing group) {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("group", Json.string(group.group()));
      fields.put("state", Json.string(group.state()));
      fields.put("protocolType", Json.string(group.protocolType()));
      fields.put("type", Json.string(type(group)));
      return Json.object(fields);
    }
  }

  @Command(
      name = "describe",
      description = {
        "Show a group's state, and for each partition what is committed, the partition's end, how many records lie between,"
            + " and which member reads it; - where there is none.",
        ""
      },
      footer = {"", "Example:  kaka group describe archive"})
  private static final class Describe extends OnOne {
    @Option(names = "--json", description = "Print a JSON object instead.")
    private boolean isJson;

    Describe(Streams streams) {
      super(streams);
    }

    @Override
    String run(KakaClient client) {
      GroupAdmin.Description description = described(client, group());
      List<GroupText.Row> rows = GroupText.rows(client, group(), description);
      return isJson ? GroupText.json(group(), description, rows) + "\n" : GroupText.lines(group(), description, rows);
    }
  }

  @Command(
      name = "delete",
      description = "Delete a group that has no members, and all it has committed.",
      footer = {"", "Example:  kaka group delete archive"})
  private static final class Delete extends OnOne {
    Delete(Streams streams) {
      super(streams);
    }

    @Override
    String run(KakaClient client) {
      KakaException.await(client.groups().delete(group()));
      return "deleted " + group() + "\n";
    }
  }
}
