package kaka.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kaka.client.Admin;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.TopicDescription;
import kaka.client.TopicInfo;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka topic}: creates, lists, describes and deletes topics. */
@Command(
    name = "topic",
    description = "Create, list, describe and delete topics.",
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
        .addSubcommand(new Delete(streams));
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected create, list, describe or delete");
  }

  /** What they have in common: ask the broker, print the answer. */
  private abstract static class Action implements Callable<Integer> {
    @Mixin
    private BrokerOption broker;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    private final Streams streams;

    private Action(Streams streams) {
      this.streams = streams;
    }

    @Override
    public final Integer call() throws IOException {
      check();
      try (KakaClient client = broker.connect()) {
        streams.out().write(run(client.admin()).getBytes(StandardCharsets.UTF_8));
        return ExitCode.OK;
      } catch (KakaException e) {
        streams.complain(e.getMessage());
        return ExitCode.FAILED;
      } catch (IllegalArgumentException e) { // no request can say that, so the broker was not asked
        throw wrong(e.getMessage());
      }
    }

    final ParameterException wrong(String what) {
      return new ParameterException(spec.commandLine(), what);
    }

    /** Looks at the arguments before anybody is asked. */
    void check() {}

    /** Does it; returns what to print. */
    abstract String run(Admin admin);
  }

  private abstract static class ActionOnOne extends Action {
    @Parameters(
        index = "0",
        paramLabel = "NAME",
        description = "The topic: letters, digits, '.', '_' and '-', at most 249.")
    private String name;

    private ActionOnOne(Streams streams) {
      super(streams);
    }

    final String name() {
      return name;
    }
  }

  @Command(
      name = "create",
      description = "Create a topic.",
      footer = {"", "Example:  kaka topic create logs --partitions 4 --set retention.ms=604800000"})
  private static final class Create extends ActionOnOne {
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

  private static String partitions(int count) {
    return count + (count == 1 ? " partition" : " partitions");
  }

  @Command(
      name = "list",
      description = "List the topics, one a line: name, number of partitions, id.",
      footer = {"", "Example:  kaka topic list | cut -f 1"})
  private static final class Listing extends Action {
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
  private static final class Describe extends ActionOnOne {
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
  private static final class Delete extends ActionOnOne {
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
