package kaka.checks;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * The load and the judge of the scripts in {@code ops/checks}.
 *
 * <pre>
 * flood HOST PORT TOPIC PARTITIONS CONNECTIONS WINDOW RECORDS_PER_REQUEST VALUE_BYTES SECONDS JOURNAL
 * kafka-flood HOST PORT TOPIC PARTITIONS PRODUCERS VALUE_BYTES SECONDS JOURNAL
 *                                            by Kafka's producer; SIGTERM ends it in order; exit 1 if a record was given up
 * verify HOST PORT JOURNAL [MAX_LOSS_MS]     exit 1 if an acknowledged record is missing, moved, doubled or damaged;
 *                                            with MAX_LOSS_MS loss is allowed of what was acked in the last so many ms
 * </pre>
 */
public final class AckCheck {
  private AckCheck() {}

  public static void main(String[] args) throws Exception {
    InetSocketAddress broker = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    if (args[0].equals("flood")) {
      flood(broker, args);
    } else if (args[0].equals("kafka-flood")) {
      kafkaFlood(broker, args);
    } else if (args[0].equals("verify")) {
      Verification result = Verification.of(broker, AckJournal.read(Path.of(args[3])));
      System.out.println(result);
      boolean withinBound =
          args.length > 4 && result.isGoodButForLoss() && result.lossSpanMs() <= Long.parseLong(args[4]);
      System.exit(result.isGood() || withinBound ? 0 : 1);
    } else {
      throw new IllegalArgumentException(args[0]);
    }
  }

  private static void kafkaFlood(InetSocketAddress broker, String[] args) throws Exception {
    try (AckJournal journal = new AckJournal(Path.of(args[8]))) {
      KafkaFlood flood = new KafkaFlood(broker, args[3], Integer.parseInt(args[4]), Integer.parseInt(args[6]), journal);
      CountDownLatch ended = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    flood.stop();
                    try {
                      ended.await();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    if (flood.failedRecords() == 0) {
                      Runtime.getRuntime().halt(0); // instead of the signal's exit code
                    }
                  }));
      flood.run(Integer.parseInt(args[5]), Long.parseLong(args[7]) * 1000);
      System.out.println("acked=" + flood.ackedRecords() + " failed=" + flood.failedRecords());
      ended.countDown();
      System.exit(flood.failedRecords() == 0 ? 0 : 1);
    }
  }

  private static void flood(InetSocketAddress broker, String[] args) throws Exception {
    Flood.Plan plan =
        new Flood.Plan(
            broker,
            args[3],
            Integer.parseInt(args[4]),
            Integer.parseInt(args[5]),
            Integer.parseInt(args[6]),
            Integer.parseInt(args[7]),
            Integer.parseInt(args[8]),
            Long.parseLong(args[9]) * 1000);
    try (AckJournal journal = new AckJournal(Path.of(args[10]))) {
      Flood flood = new Flood(plan, journal);
      flood.run();
      System.out.println("acked=" + flood.ackedRecords() + " refused=" + flood.refusals());
    }
  }
}
