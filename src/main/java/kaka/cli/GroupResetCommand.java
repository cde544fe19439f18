package kaka.cli;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import kaka.client.Admin;
import kaka.client.GroupAdmin;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.StartPosition;
import kaka.client.TopicDescription;
import kaka.record.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kaka group reset}: moves where a group goes on. */
@Command(
    name = "reset",
    sortOptions = false,
    description = {
      "Move where a group without members goes on reading. Without --execute it only says what it would do.",
      "",
      "An offset that a partition does not have becomes its first, or its end.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, or shown with --dry-run, 1 not done (with neither, too), 2 wrong usage.",
      "",
      "Examples:  kaka group reset archive --topic logs --to earliest",
      "           kaka group reset archive --all-topics --to -1h --execute",
      "           kaka group reset archive --topic logs --partition 3 --shift -10 --execute"
    })
final class GroupResetCommand extends GroupCommand.OnOne {
  @Option(names = "--topic", paramLabel = "TOPIC", description = "Its partitions; can be given several times.")
  private List<String> topics = new ArrayList<>();

  @Option(names = "--all-topics", description = "All partitions that the group has committed an offset of.")
  private boolean isAllTopics;

  @Option(names = {"-p", "--partition"}, paramLabel = "N", description = "Only this partition of the topic (default: all).")
  private Integer partition;

  @Option(
      names = "--to",
      paramLabel = "WHERE",
      description = "To the earliest, the latest, an offset: 42, or what comes next at a time: 2026-11-29T15:04:05Z, -15m.")
  private String to;

  @Option(
      names = "--shift",
      paramLabel = "N",
      description = "Forth by so many offsets, or back if negative, from what is committed.")
  private Long shift;

  @Option(names = {"--execute", "--yes"}, description = "Do it.")
  private boolean isExecuted;

  @Option(names = "--dry-run", description = "Only say what would change, which is what was wanted.")
  private boolean isDryRun;

  @Option(names = "--json", description = "Print a JSON array instead.")
  private boolean isJson;

  private StartPosition where;

  GroupResetCommand(Streams streams) {
    super(streams);
  }

  @Override
  void check() {
    require(topics.isEmpty() == isAllTopics, "expected one of --topic and --all-topics");
    require((to == null) != (shift == null), "expected one of --to and --shift");
    require(partition == null || topics.size() == 1, "--partition goes with one --topic");
    require(!(isExecuted && isDryRun), "--execute and --dry-run exclude each other");
    try {
      if (partition != null) {
        OptionValue.atLeast("--partition", partition, 0);
      }
      if (to != null) {
        where = OptionValue.parse("--to", to, text -> FromPosition.parse(text, Clock.systemUTC(), ZoneId.systemDefault()));
      }
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private void require(boolean isGood, String what) {
    if (!isGood) {
      throw wrong(what);
    }
  }

  /** As wherever something is only shown because nobody said to do it: a script notices. */
  @Override
  int exitCode() {
    return isExecuted || isDryRun ? ExitCode.OK : ExitCode.FAILED;
  }

  private record Move(TopicPartition partition, Long from, long to) {}

  @Override
  String run(KakaClient client) {
    GroupAdmin.Description description = KakaException.await(client.groups().describe(group()));
    if (!description.members().isEmpty()) {
      throw new Refused(
          "group '" + group() + "' has members (" + description.state() + "): stop them first, they would not notice");
    }
    if (isAllTopics && !description.exists()) {
      throw new Refused("no group '" + group() + "'");
    }
    List<Move> moves = moves(client);
    if (isExecuted) {
      Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
      moves.forEach(move -> offsets.put(move.partition(), move.to()));
      KakaException.await(client.groups().commit(group(), offsets));
    } else {
      say("nothing was changed; say --execute to do it");
    }
    return isJson ? Json.array(moves.stream().map(GroupResetCommand::json).toList()) + "\n" : table(moves);
  }

  private List<Move> moves(KakaClient client) {
    Map<TopicPartition, Long> committed = KakaException.await(client.groups().offsets(group()));
    TreeSet<String> names = new TreeSet<>(topics);
    if (isAllTopics) {
      committed.keySet().forEach(each -> names.add(each.topic()));
    }
    List<Move> moves = new ArrayList<>();
    for (String name : names) {
      for (TopicDescription.Partition each : KakaException.await(client.admin().describeTopic(name)).partitions()) {
        TopicPartition one = new TopicPartition(name, each.partition());
        boolean isWanted = isAllTopics ? committed.containsKey(one) : partition == null || partition == each.partition();
        if (isWanted) {
          moves.add(new Move(one, committed.get(one), target(client.admin(), one, committed.get(one), each)));
        }
      }
    }
    if (moves.isEmpty()) {
      throw new Refused(
          isAllTopics ? "group '" + group() + "' has committed nothing" : "topic " + topics.get(0) + " has no partition " + partition);
    }
    return moves;
  }

  private long target(Admin admin, TopicPartition one, Long committed, TopicDescription.Partition described) {
    long wanted;
    if (shift != null) {
      if (committed == null) {
        throw new Refused("nothing is committed for " + one + ": --shift has nothing to go from");
      }
      wanted = shift > Long.MAX_VALUE - committed ? Long.MAX_VALUE : committed + shift;
    } else if (where instanceof StartPosition.AtOffset at) {
      wanted = at.offset();
    } else if (where instanceof StartPosition.AtTime at) {
      wanted = KakaException.await(admin.offsetForTime(one, Instant.ofEpochMilli(at.timestampMs())));
    } else {
      boolean isLatest = where instanceof StartPosition.Latest;
      wanted = KakaException.await(isLatest ? admin.latestOffset(one) : admin.earliestOffset(one));
    }
    return Math.max(described.logStartOffset(), Math.min(wanted, described.highWatermark()));
  }

  private String table(List<Move> moves) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "NEW-OFFSET"));
    for (Move move : moves) {
      rows.add(
          List.of(
              group(),
              move.partition().topic(),
              Integer.toString(move.partition().partition()),
              move.from() == null ? "-" : Long.toString(move.from()),
              Long.toString(move.to())));
    }
    return TopicText.table(rows);
  }

  private static String json(Move move) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("topic", Json.string(move.partition().topic()));
    fields.put("partition", Integer.toString(move.partition().partition()));
    fields.put("currentOffset", move.from() == null ? "null" : Long.toString(move.from()));
    fields.put("newOffset", Long.toString(move.to()));
    return Json.object(fields);
  }
}
