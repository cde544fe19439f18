package kaka.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import kaka.config.KakaConfig;
import kaka.log.Cleanup;
import kaka.log.CompactionConfig;
import kaka.log.LogCompaction;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.record.RecordBatchBuilder;
import kaka.metrics.StorageMetrics;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Logs that share one compaction: one that needs round after round does not keep another from its turn. */
class CompactionTurnsTest {
  private static final LogConfig COMPACT =
      new LogConfig(16 * 1024, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0)
          .withCleanup(new Cleanup(true, false, Duration.ofDays(1), 0));

  private static ActorTestKit kit;

  private final MemoryDisk disk = new MemoryDisk();
  private final CompactionShare share = new CompactionShare(new CompactionConfig(1, 64 * 1024, 0));

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("turns", KakaConfig.parse("").akka());
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
  }

  /** A partition's log and its compaction, with the test in the place of the actor. */
  private final class Owner {
    final PartitionLog log;
    final LinkedBlockingQueue<PartitionCompaction.Outcome> outcomes = new LinkedBlockingQueue<>();
    final PartitionCompaction compaction;
    int rounds;

    Owner(String name, int keys) throws IOException {
      log = PartitionLog.create(disk, Path.of(name), new UUID(1, 1), COMPACT, Clock.systemUTC());
      for (int i = 0; i < keys; ) {
        RecordBatchBuilder batch = new RecordBatchBuilder(8192);
        for (int n = 0; n < 200; n++) {
          batch.append(1, String.valueOf(i++).getBytes(StandardCharsets.US_ASCII), new byte[] {1}, List.of());
        }
        log.append(batch.build());
        log.flush();
      }
      compaction = PartitionCompaction.of(name, share, new StorageMetrics(), kit.system(), outcomes::add);
    }

    /** Does the owner's part until one round is done. */
    void finishRound() throws InterruptedException {
      PartitionCompaction.Outcome outcome;
      do {
        outcome = outcomes.take();
        compaction.onOutcome(outcome, log, () -> {});
      } while (outcome.progress() == LogCompaction.Progress.READY);
      assertEquals(LogCompaction.Progress.DONE, outcome.progress(), String.valueOf(outcome.failure()));
      rounds++;
    }
  }

  @Test
  void whoNeedsManyRoundsGoesOnWhileNobodyElseWaits() throws Exception {
    Owner large = new Owner("large-0", 10_000);
    large.compaction.beginIfDue(large.log);
    while (share.runningCount() > 0) {
      large.finishRound();
    }
    assertTrue(large.rounds > 3, large.rounds + " rounds");
    large.log.close();
  }

  @Test
  void whoNeedsManyRoundsLetsOthersHaveATurn() throws Exception {
    Owner large = new Owner("large-0", 10_000);
    Owner small = new Owner("small-0", 2000);
    large.compaction.beginIfDue(large.log);
    small.compaction.beginIfDue(small.log);

    large.finishRound();

    assertEquals(0, share.runningCount(), "it did not begin again at once");
    small.compaction.beginIfDue(small.log);
    assertEquals(1, share.runningCount());
    small.finishRound();
    large.compaction.beginIfDue(large.log);
    large.finishRound();
    assertEquals(1, share.runningCount(), "and goes on, for nobody waits");
    large.compaction.cancel();
    large.log.close();
    small.log.close();
  }

  /** Or thousands of other partitions would take the share away, each for a moment, and ask for turns. */
  @Test
  void whoHasNothingToCompactDoesNotAskForATurn() throws Exception {
    Owner large = new Owner("large-0", 10_000);
    Owner idle = new Owner("idle-0", 0);
    large.compaction.beginIfDue(large.log);
    idle.compaction.beginIfDue(idle.log);
    assertFalse(share.isWanted());
    large.compaction.cancel();
    large.log.close();
    idle.log.close();
  }
}
