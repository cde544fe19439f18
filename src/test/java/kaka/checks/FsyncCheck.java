package kaka.checks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.protocol.Response;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;

/**
 * The judge of {@code ops/checks/fsync.sh}: produces one request at a time, so that each has a sync of its own, has a sync fail, and
 * requires fail-stop of that partition.
 *
 * <pre>
 * HOST PORT TOPIC NTH once|always JOURNAL COMMAND...   COMMAND makes syncs fail, the next one or all, after NTH - 1 produces
 * </pre>
 */
final class FsyncCheck {
  private static final int SEGMENT_BYTES = 4096;
  private static final int VALUE_BYTES = 900;

  private final RawConnection connection;
  private final String topic;
  private final AckJournal journal;
  private final long run = ThreadLocalRandom.current().nextLong() >>> 1;
  private final long[] acked = new long[2]; // by partition

  private FsyncCheck(RawConnection connection, String topic, AckJournal journal) {
    this.connection = connection;
    this.topic = topic;
    this.journal = journal;
  }

  public static void main(String[] args) throws Exception {
    InetSocketAddress broker = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    Path journalFile = Path.of(args[5]);
    List<String> command = Arrays.asList(args).subList(6, args.length);
    try (RawConnection connection = new RawConnection(broker);
        AckJournal journal = new AckJournal(journalFile)) {
      FsyncCheck check = new FsyncCheck(connection, args[2], journal);
      System.out.println(check.run(Integer.parseInt(args[3]), args[4].equals("always"), command));
    } catch (AssertionError e) {
      System.out.println(e.getMessage());
      System.exit(1);
    }
    Verification result = Verification.of(broker, AckJournal.read(journalFile));
    require(result.isGood(), "reads beside the failed partition: " + result);
  }

  private String run(int nth, boolean always, List<String> command) throws Exception {
    Response created = connection.ask(new CreateTopic(topic, 2, Map.of("segment.bytes", Integer.toString(SEGMENT_BYTES))));
    require(created instanceof CreateTopicReply, "not created: " + created);
    require(produce(1) instanceof ProduceAck, "the other partition");
    for (int i = 1; i < nth; i++) {
      require(produce(0) instanceof ProduceAck, "before the failure");
    }

    require(new ProcessBuilder(command).inheritIO().start().waitFor() == 0, "not done: " + command);
    Response answer = produce(0);
    int wholeSegment = SEGMENT_BYTES / VALUE_BYTES + 1; // a directory is synced at the roll only
    for (int i = 0; answer instanceof ProduceAck && i < wholeSegment; i++) {
      answer = produce(0);
    }

    long ackedBefore = acked[0];
    for (int i = 0; i < 6; i++) {
      require(answer instanceof ErrorReply refused && refused.code() == ErrorCode.STORAGE.code(), "not refused: " + answer);
      answer = produce(0); // later syncs would succeed, where only one fails
    }
    require(ackedBefore == acked[0], "acknowledged after a failure");
    require(produce(1) instanceof ProduceAck == !always, "the other partition, where syncs " + (always ? "fail" : "succeed"));
    for (int p = 0; p < 2; p++) {
      require(stored(p) == acked[p], "partition " + p + " serves " + stored(p) + " records, acknowledged are " + acked[p]);
    }
    Response another = connection.ask(new CreateTopic(topic + "-later", 1, Map.of()));
    require(another instanceof CreateTopicReply == !always, "another topic, where syncs " + (always ? "fail" : "succeed") + ": " + another);
    return acked[0] + " acknowledged and served, then 6 of 6 refused";
  }

  private Response produce(int partition) throws IOException {
    byte[] value = Flood.RecordValue.encode(run, partition, acked[partition], VALUE_BYTES);
    Response answer =
        connection.ask(
            new Produce(
                new TopicPartition(topic, partition), new RecordBatchBuilder(1024).append(0, null, value, List.of()).build()));
    if (answer instanceof ProduceAck ack) {
      journal.add(
          new AckJournal.Ack(topic, partition, run, partition, acked[partition]++, ack.baseOffset(), 1, System.currentTimeMillis()));
      journal.handOver();
    }
    return answer;
  }

  /** How many records consumers see: none that was refused. */
  private long stored(int partition) throws IOException {
    long next = 0;
    while (true) {
      Response answer = connection.ask(new Fetch(new TopicPartition(topic, partition), next, 1 << 20, 0, 0));
      require(answer instanceof Records, "reads of partition " + partition + ": " + answer);
      List<Records.Entry> entries = ((Records) answer).entries();
      if (entries.isEmpty()) {
        return next;
      }
      next = entries.get(entries.size() - 1).offset() + 1;
    }
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }
}
