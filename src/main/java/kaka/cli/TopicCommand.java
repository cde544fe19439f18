package kaka.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kaka.client.Admin;
import kaka.client.KakaException;
import kaka.client.TopicDescription;
import kaka.client.TopicInfo;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code kaka topic}: creates, lists, describes, changes and deletes topics. */
@Command(
    name = "topic",
    description = "Create, list, describe, change and delete topics.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:  kaka topic create logs --partitions 4"})
final class TopicCommand implements Callable<Integer> {
  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private TopicCommand() {}

  /** The command and those below it. */
  static CommandLine commandLine(Streams streams) {
    return new CommandLine(new TopicCommand())
        .addSubcommand(new Create(streams))
        .addSubcommand(new Listing(streams))
        .addSubcommand(new Describe(streams))
        .addSubcommand(new TopicAlterCommand(streams))
        .addSubcommand(new TopicAddPartitionsCommand(streams))
        .addSubcommand(new TopicDeleteRecordsCommand(streams))
        .addSubcommand(new Delete(streams));
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected create, list, describe, alter, add-partitions, delete-records or delete");
  }

  @Command(
      name = "create",
      description = "Create a topic.",
      footer = {"", "Example:  kaka topic create logs --partitions 4 --set retention.ms=604800000"})
  private static final class Create extends TopicAction.OnOne {
    @Option(names = "--partitions", paramLabel = "N", description = "How many (default: the broker's default).")
    private Integer partitions;

    @Option(
        names = "--set",
        paramLabel = "KEY=VALUE",
        description = "A setting of this topic that differs from the broker's; can be given several times.")
    private Map<String, String> settings = new LinkedHashMap<>();

    Create(Streams streams) {
      super(streams);
    }

    @Override
    void check() {
      if (partitions != null && partitions < 1) {
        throw wrong("--partitions " + partitions + ": at least 1");
      }
    }

    @Override
    String run(Admin admin) {
      TopicInfo created = KakaException.await(admin.createTopic(name(), partitions == null ? 0 : partitions, settings));
      return "created " + created.name() + " with " + partitions(created.partitions()) + "\n";
    }
  }

  @Command(
      name = "list",
      description = "List the topics, one a line: name, number of partitions, id.",
      footer = {"", "Example:  kaka topic list | cut -f 1"})
  private static final class Listing extends TopicAction {
    @Option(names = "--json", description = "Print a JSON array instead.")
    private boolean isJson;

    Listing(Streams streams) {
      super(streams);
    }

    @Override
    String run(Admin admin) {
      List<TopicInfo> topics = KakaException.await(admin.listTopics());
      if (isJson) {
        return Json.array(topics.stream().map(Listing::json).toList()) + "\n";
      }
      StringBuilder lines = new StringBuilder();
      topics.forEach(
          topic -> lines.append(topic.name() + "\t" + topic.partitions() + "\t" + topic.id() + "\n"));
      return lines.toString();
    }

    private static String json(TopicInfo topic) {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("name", Json.string(topic.name()));
      fields.put("id", Json.string(topic.id().toString()));
      fields.put("partitions", Integer.toString(topic.partitions()));
      return Json.object(fields);
    }
  }

  @Command(
      name = "describe",
      description = "Show a topic's settings, and the offsets, size and state of each partition.",
      footer = {"", "Example:  kaka topic describe logs"})
  private static final class Describe extends TopicAction.OnOne {
    @Option(names = "--json", description = "Print a JSON object instead.")
    private boolean isJson;

    Describe(Streams streams) {
      super(streams);
    }

    @Override
    String run(Admin admin) {
      TopicDescription topic = KakaException.await(admin.describeTopic(name()));
      return isJson ? TopicText.json(topic) + "\n" : TopicText.lines(topic);
    }
  }

  @Command(
      name = "delete",
      description = "Delete a topic and all its records, at once and for good.",
      footer = {"", "Example:  kaka topic delete logs"})
  private static final class Delete extends TopicAction.OnOne {
    Delete(Streams streams) {
      super(streams);
    }

    @Override
    String run(Admin admin) {
      KakaException.await(admin.deleteTopic(name()));
      return "deleted " + name() + "\n";
    }
  }
}
