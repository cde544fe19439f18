package kaka.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import kaka.broker.Broker;
import kaka.broker.BrokerStartException;
import kaka.broker.OfflineDirectory;
import kaka.config.KakaConfig;
import kaka.log.Finding;
import kaka.log.LogTruncation;
import kaka.log.RealDisk;
import kaka.protocol.Commit;
import kaka.protocol.CommitAck;
import kaka.protocol.CommittedOffset;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ListGroups;
import kaka.protocol.Offsets;
import kaka.protocol.Response;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;

/**
 * One damage to one copy of the image: checked offline, started, read to its last record, written to, and where the broker
 * refuses, repaired as it advises. Whatever is not as it must be is an {@link AssertionError} that names the damage.
 */
final class DamageTrial {
  /** What the damage came to. */
  enum Outcome {
    /** Every acknowledged record of every partition was served, and topics could be created. */
    NOTHING_LOST,
    REFUSED_AT_OPEN,
    REFUSED_AT_FETCH,
    /** Everything was served; topics could not be created. */
    TOPICS_UNCHANGEABLE,
    /** Everything was served; groups were refused. */
    GROUPS_REFUSED
  }

  private static final Pattern MOVE = Pattern.compile("`mv (\\S+) (\\S+)`");
  private static final Pattern TRUNCATE = Pattern.compile("`kaka log truncate (\\S+) --to-offset (\\d+) --yes`");

  private static final long COMMITTED_AFTER = 1 << 20;

  private final DamageImage image;
  private final Damage damage;
  private final Path data;
  private final Random random;

  DamageTrial(DamageImage image, Damage damage, Path data, Random random) {
    this.image = image;
    this.damage = damage;
    this.data = data;
    this.random = random;
  }

  Outcome run() throws Exception {
    image.writeTo(data);
    damage.applyTo(data);
    checkOffline();
    Broker broker;
    try {
      broker = Broker.start(KakaConfig.parse(DamageImage.config(data)));
    } catch (BrokerStartException e) {
      throw new AssertionError(damage + ": the broker does not start: " + e.getMessage(), e);
    }
    try (RawConnection connection = new RawConnection(broker.address())) {
      return judge(broker, connection);
    } finally {
      broker.stop().toCompletableFuture().join();
    }
  }

  /** {@code kaka log check} sees every damage, names its file, and changes nothing. */
  private void checkOffline() throws IOException {
    List<Finding> wrong;
    try (OfflineDirectory offline = OfflineDirectory.open(data)) {
      wrong = offline.check(bytes -> {}).findings().stream().filter(Finding::isWrong).toList();
    }
    Path file = data.resolve(damage.file());
    boolean isNamed = wrong.stream().anyMatch(finding -> finding.file().equals(file) && !finding.advice().isEmpty());
    require(isNamed, "check says only " + wrong);
    Map<String, byte[]> files = damage.in(image.files);
    try (Stream<Path> all = Files.walk(data)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        String name = data.relativize(path).toString();
        require(
            name.equals("kaka.lock") || files.containsKey(name) && Arrays.equals(files.get(name), Files.readAllBytes(path)),
            "check has changed " + name);
      }
    }
  }

  private Outcome judge(Broker broker, RawConnection connection) throws Exception {
    Outcome outcome = Outcome.NOTHING_LOST;
    for (Map.Entry<TopicPartition, DamageImage.Expected> each : image.partitions.entrySet()) {
      TopicPartition partition = each.getKey();
      boolean mayRefuse = partition.toString().equals(damage.directory());
      DescribeTopicReply.Partition described = describe(connection, partition);
      if (described.state() != DescribeTopicReply.State.WRITABLE) {
        require(mayRefuse, partition + " is " + described);
        requireAdvice(described.reason());
        outcome = Outcome.REFUSED_AT_OPEN;
        continue;
      }
      PartitionReading reading = new PartitionReading(connection, partition, each.getValue(), this::require);
      List<String> refusals = reading.readRecords(random);
      if (mayRefuse || random.nextInt(4) == 0) {
        refusals = reading.readOtherwise(random);
      }
      if (!refusals.isEmpty()) {
        require(mayRefuse, partition + " refuses: " + refusals.get(0));
        refusals.forEach(this::requireAdvice);
        outcome = Outcome.REFUSED_AT_FETCH;
      }
      if (mayRefuse || random.nextInt(4) == 0) {
        reading.append(random);
      }
    }
    Outcome ofTopics = judgeTopics(broker, connection);
    Outcome ofGroups = judgeGroups(broker, connection);
    if (outcome == Outcome.REFUSED_AT_OPEN) {
      repair(broker, describe(connection, damagedPartition()).reason());
    }
    if (ofGroups == Outcome.GROUPS_REFUSED) {
      giveUpOffsets(broker);
    }
    return Stream.of(outcome, ofTopics, ofGroups).filter(o -> o != Outcome.NOTHING_LOST).findFirst().orElse(Outcome.NOTHING_LOST);
  }

  private Outcome judgeTopics(Broker broker, RawConnection connection) throws IOException {
    Response answer = connection.ask(new CreateTopic("made-after-damage", 1, Map.of()));
    if (answer instanceof CreateTopicReply) {
      require(broker.report().topicsProblem().isEmpty(), "a problem, but topics can be created");
      return Outcome.NOTHING_LOST;
    }
    String refusal = ((ErrorReply) answer).message();
    require(damage.isOfRegistry(), "topics cannot be created: " + refusal);
    requireAdvice(refusal);
    requireAdvice(broker.report().topicsProblem());
    requireAdvice(describe(connection, new TopicPartition("audit", 0)).reason());
    return Outcome.TOPICS_UNCHANGEABLE;
  }

  /** Each offset is the one that was committed last, or all that groups ask for is refused. */
  private Outcome judgeGroups(Broker broker, RawConnection connection) throws IOException {
    boolean isRefused = !broker.report().groupsProblem().isEmpty();
    for (Map.Entry<Offsets, Long> each : image.committed.entrySet()) {
      Response answer = connection.ask(each.getKey());
      if (isRefused) {
        requireRefused(answer);
      } else {
        require(answer.equals(new CommittedOffset(OptionalLong.of(each.getValue()))), each + ": " + answer);
      }
    }
    Offsets first = image.committed.keySet().iterator().next();
    Response committed = connection.ask(new Commit(first.group(), first.partition(), COMMITTED_AFTER));
    if (!isRefused) {
      require(committed instanceof CommitAck, "not committed: " + committed);
      require(connection.ask(first).equals(new CommittedOffset(OptionalLong.of(COMMITTED_AFTER))), "not as committed");
      return Outcome.NOTHING_LOST;
    }
    requireRefused(committed);
    requireRefused(connection.ask(new ListGroups()));
    requireAdvice(broker.report().groupsProblem());
    return Outcome.GROUPS_REFUSED;
  }

  private void requireRefused(Response answer) {
    require(damage.isOfOffsets(), "groups are refused: " + answer);
    require(answer instanceof ErrorReply error && error.code() == ErrorCode.STORAGE.code(), "not refused: " + answer);
    requireAdvice(((ErrorReply) answer).message());
  }

  /** The last of the advice: the log goes aside, and groups begin anew. */
  private void giveUpOffsets(Broker broker) throws Exception {
    Matcher move = MOVE.matcher(broker.report().groupsProblem());
    require(move.find(), "no advice to move: " + broker.report().groupsProblem());
    broker.stop().toCompletableFuture().join();
    Files.move(Path.of(move.group(1)), Path.of(move.group(2)));
    Broker again = Broker.start(KakaConfig.parse(DamageImage.config(data)));
    try (RawConnection connection = new RawConnection(again.address())) {
      Offsets first = image.committed.keySet().iterator().next();
      require(connection.ask(first).equals(new CommittedOffset(OptionalLong.empty())), "an offset after " + move.group());
      Response committed = connection.ask(new Commit(first.group(), first.partition(), 1));
      require(committed instanceof CommitAck, "after " + move.group() + ": " + committed);
    } finally {
      again.stop().toCompletableFuture().join();
    }
  }

  /** Does what the broker advised, if that is to truncate: then the partition has everything before the damage, and takes more. */
  private void repair(Broker broker, String advice) throws Exception {
    Matcher truncate = TRUNCATE.matcher(advice);
    if (!truncate.find()) {
      return;
    }
    broker.stop().toCompletableFuture().join();
    long end = Long.parseLong(truncate.group(2));
    LogTruncation.truncate(new RealDisk(), Path.of(truncate.group(1)), end);
    TopicPartition partition = damagedPartition();
    DamageImage.Expected before = image.partitions.get(partition);
    DamageImage.Expected kept = new DamageImage.Expected();
    kept.logStartOffset = before.logStartOffset;
    kept.values.addAll(before.values.subList(0, (int) end));
    Broker again = Broker.start(KakaConfig.parse(DamageImage.config(data)));
    try (RawConnection connection = new RawConnection(again.address())) {
      DescribeTopicReply.Partition described = describe(connection, partition);
      require(described.state() == DescribeTopicReply.State.WRITABLE, "after " + truncate.group() + ": " + described);
      PartitionReading reading = new PartitionReading(connection, partition, kept, this::require);
      reading.readRecords(random);
      List<String> refusals = reading.readOtherwise(random);
      require(refusals.isEmpty(), "after " + truncate.group() + ": " + refusals);
      reading.append(random);
    } finally {
      again.stop().toCompletableFuture().join();
    }
  }

  private TopicPartition damagedPartition() {
    return image.partitions.keySet().stream().filter(p -> p.toString().equals(damage.directory())).findFirst().orElseThrow();
  }

  private DescribeTopicReply.Partition describe(RawConnection connection, TopicPartition partition) throws IOException {
    Response answer = connection.ask(new DescribeTopic(partition.topic()));
    require(answer instanceof DescribeTopicReply, partition + " is not known: " + answer);
    List<DescribeTopicReply.Partition> partitions = ((DescribeTopicReply) answer).partitions();
    require(partitions.size() > partition.partition(), partition + " is not among " + partitions);
    return partitions.get(partition.partition());
  }

  /** File, position, and what to do about it. */
  private void requireAdvice(String message) {
    require(message.contains(data.resolve(damage.directory()).toString()), "no file in: " + message);
    require(message.matches("(?s).* at byte \\d+: .*"), "no position in: " + message);
    require(message.contains("`kaka log ") || message.contains("`printf "), "no advice in: " + message);
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(damage + ": " + otherwise);
    }
  }
}
