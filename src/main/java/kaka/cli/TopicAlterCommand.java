package kaka.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaka.client.Admin;
import kaka.client.KakaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kaka topic alter}: changes a topic's settings. */
@Command(
    name = "alter",
    sortOptions = false,
    description = {
      "Change settings of a topic, all of those given or none; they are in force at once, without a restart.",
      "",
      "The settings are those that 'topic describe' shows, and max.message.bytes.",
      ""
    },
    footer = {
      "",
      "Examples:  kaka topic alter logs --set retention.ms=604800000 --set segment.bytes=16777216",
      "           kaka topic alter logs --unset retention.ms"
    })
final class TopicAlterCommand extends TopicAction.OnOne {
  @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting of this topic; can be given several times.")
  private Map<String, String> set = new LinkedHashMap<>();

  @Option(names = "--unset", paramLabel = "KEY", description = "Go back to the broker's setting; can be given several times.")
  private List<String> unset = new ArrayList<>();

  TopicAlterCommand(Streams streams) {
    super(streams);
  }

  @Override
  void check() {
    if (set.isEmpty() && unset.isEmpty()) {
      throw wrong("expected --set or --unset");
    }
    set.forEach(
        (name, value) -> {
          if (value.isEmpty()) {
            throw wrong("--set " + name + "=: expected a value; --unset goes back to the broker's");
          }
        });
    unset.stream()
        .filter(set::containsKey)
        .findFirst()
        .ifPresent(
            name -> {
              throw wrong("--set and --unset of " + name + " exclude each other");
            });
  }

  @Override
  String run(Admin admin) {
    Map<String, String> changes = new LinkedHashMap<>(set);
    unset.forEach(name -> changes.put(name, ""));
    KakaException.await(admin.alterTopic(name(), changes));
    return "altered " + name() + "\n";
  }
}
