package kaka.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import kaka.cli.KakaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of {@code ops/checks/drain.sh}: the real jar, asked to stop in mid-flood. */
class DrainIT {
  @TempDir Path directory;

  /** Ends with 0; nothing acknowledged is lost; the next opening of the logs finds nothing to repair. */
  @Test
  @Timeout(120)
  void stopInMidFloodLeavesNothingToRepair() throws Exception {
    Path journal = directory.resolve("journal");
    Path data = directory.resolve("data");
    String[] serve = {"--port", "0", "--dir", data.toString()};
    Map<String, String> environment = Map.of("KAKA_TOPICS_DEFAULT_PARTITIONS", "3", "KAKA_LOG_SEGMENT_BYTES", "1MiB");
    try (KakaProcess broker = KakaProcess.start(directory, environment, serve);
        AckJournal acks = new AckJournal(journal)) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", KakaProcess.port(broker.awaitReady()));
      Flood flood = new Flood(new Flood.Plan(address, "stopped", 3, 6, 16, 10, 200, 60_000), acks);
      Thread flooding = new Thread(() -> runToItsEnd(flood), "flood");
      flooding.start();
      flood.awaitAcked(20_000);

      broker.signal("TERM");

      assertEquals(0, broker.exitCode(), broker.stderr());
      flooding.join();
      assertTrue(flood.refusals().keySet().stream().allMatch(refusal -> refusal.startsWith("6 ")), flood.refusals().toString());
    }
    List<Path> logs = RecoveryCheck.logsOf(data);
    assertFalse(logs.isEmpty());
    for (Path log : logs) {
      assertEquals(0, RecoveryCheck.repairs(RecoveryCheck.recover(log)), log.toString());
    }
    try (KakaProcess broker = KakaProcess.start(directory, environment, serve)) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", KakaProcess.port(broker.awaitReady()));
      Verification result = Verification.of(address, AckJournal.read(journal));
      assertTrue(result.isGood(), result.toString());
    }
  }

  private static void runToItsEnd(Flood flood) {
    try {
      flood.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
