package kaka.topic;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Settings of Kafka's that clients send with new topics and that change nothing here, for every value that is taken: they are
 * kept with the topic and shown, so that whoever set one finds it again. A value that would promise something is refused.
 *
 * <pre>
 * compression.type                 producer               batches are stored as they come
 * message.timestamp.type           CreateTime             so are their timestamps
 * min.insync.replicas              1                      there is one replica
 * unclean.leader.election.enable   true, false            and nobody to elect
 * remote.storage.enable            false
 * preallocate                      true, false            segments are preallocated as the disk likes it
 * flush.messages, flush.ms         a number               every ack is on disk, sooner than these ask for
 * index.interval.bytes, segment.index.bytes, segment.jitter.ms, file.delete.delay.ms: a number
 * </pre>
 */
final class KeptSettings {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
  private static final Set<String> FLAGS = Set.of("true", "false");

  /** Of the settings that are no numbers: the values that are taken. */
  private static final Map<String, Set<String>> VALUES =
      new TreeMap<>(
          Map.of(
              "compression.type", Set.of("producer"),
              "message.timestamp.type", Set.of("CreateTime"),
              "min.insync.replicas", Set.of("1"),
              "unclean.leader.election.enable", FLAGS,
              "remote.storage.enable", Set.of("false"),
              "preallocate", FLAGS));

  private static final Set<String> NUMBERS =
      Set.of(
          "flush.messages",
          "flush.ms",
          "index.interval.bytes",
          "segment.index.bytes",
          "segment.jitter.ms",
          "file.delete.delay.ms");

  private KeptSettings() {}

  static boolean contains(String name) {
    return VALUES.containsKey(name) || NUMBERS.contains(name);
  }

  /** What is wrong with the value of one that is {@link #contains contained}. */
  static Optional<String> problemOf(String name, String value) {
    Set<String> taken = VALUES.get(name);
    if (taken == null) {
      return NUMBER.matcher(value).matches() ? Optional.empty() : Optional.of(name + "=" + value + ": a whole number, at least 0");
    }
    return taken.contains(value) ? Optional.empty() : Optional.of(name + "=" + value + ": only " + String.join(" or ", taken));
  }
}
