package kaka.group;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import kaka.log.Disk;
import kaka.log.EventLog;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.PartitionDirectory;

/** The log of offsets in a copy of a data directory whose broker went on meanwhile. */
public final class CopiedOffsets {
  private static final int COMPACT_BYTES = 1 << 30; // too little is written for that

  private CopiedOffsets() {}

  /**
   * Drops offsets that are pending for transactions that nobody will end any more.
   *
   * @param isOver whether the producer's transaction is one of these
   * @return how many transactions that were
   */
  public static int endPending(Disk disk, Path copy, LogConfig config, Clock clock, LongPredicate isOver) throws IOException {
    if (!PartitionDirectory.isCreated(disk, copy.resolve(InternalLog.OFFSETS.directory()))) {
      return 0;
    }
    EventLog<GroupEvent> log =
        EventLog.open(InternalLog.OFFSETS, new GroupEventCodec(), disk, copy, config, COMPACT_BYTES, clock);
    try {
      CommittedOffsets offsets = new CommittedOffsets();
      log.replay(offsets::apply, offsets);
      Set<Long> over = offsets.pendingProducers().stream().filter(isOver::test).collect(Collectors.toSet());
      for (long producerId : over) {
        log.stage(new GroupEvent.TransactionEnded(producerId, List.of()));
      }
      log.flush();
      return over.size();
    } finally {
      log.close();
    }
  }
}
