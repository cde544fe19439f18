package kaka.checks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import kaka.cli.KakaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of {@code ops/checks/kill.sh}: the real jar, killed with -9 in mid-flood, loses nothing it acknowledged. */
class KillIT {
  private static final int KILLS = 3;
  private static final long ENOUGH_RECORDS = 20_000;

  @TempDir Path directory;

  @Test
  @Timeout(120)
  void killInMidFloodLosesNothingAcknowledged() throws Exception {
    Path journal = directory.resolve("journal");
    for (int kill = 1; kill <= KILLS; kill++) {
      try (KakaProcess broker = startBroker()) {
        InetSocketAddress address = addressOf(broker);
        try (AckJournal acks = new AckJournal(journal)) {
          Flood flood = new Flood(new Flood.Plan(address, "killed", 3, 6, 16, 10, 200, 60_000), acks);
          Thread flooding = new Thread(() -> runToItsEnd(flood), "flood");
          flooding.start();
          flood.awaitAcked(ENOUGH_RECORDS);
          broker.signal("KILL");
          flooding.join();
        }
      }
      try (KakaProcess broker = startBroker()) {
        Verification result = Verification.of(addressOf(broker), AckJournal.read(journal));
        assertTrue(result.isGood(), "kill " + kill + ": " + result);
      }
    }
  }

  private static void runToItsEnd(Flood flood) {
    try {
      flood.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private KakaProcess startBroker() throws Exception {
    return KakaProcess.start(
        directory,
        Map.of("KAKA_LOG_SEGMENT_BYTES", "1MiB", "KAKA_TOPICS_DEFAULT_PARTITIONS", "3"),
        "--port",
        "0",
        "--dir",
        directory.resolve("data").toString());
  }

  private static InetSocketAddress addressOf(KakaProcess broker) throws Exception {
    return new InetSocketAddress("127.0.0.1", KakaProcess.port(broker.awaitReady()));
  }
}
