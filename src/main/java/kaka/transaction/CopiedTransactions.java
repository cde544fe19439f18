package kaka.transaction;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.Set;
import kaka.log.Disk;
import kaka.log.EventLog;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.PartitionDirectory;

/**
 * The log of transactions in a copy of a data directory whose broker went on meanwhile. It was copied after the partitions, so it
 * may know the end of a transaction that is still open in the copy of one: nobody would ever end it there.
 */
public final class CopiedTransactions {
  private static final int COMPACT_BYTES = 1 << 30; // nothing is written

  private final KnownTransactions known;
  private final Set<Long> producerIds = new HashSet<>();

  private CopiedTransactions(KnownTransactions known) {
    this.known = known;
  }

  /** @param copy of a data directory; without the log there were no transactions */
  public static CopiedTransactions read(Disk disk, Path copy, LogConfig config, Clock clock) throws IOException {
    KnownTransactions known = new KnownTransactions(clock::millis);
    CopiedTransactions copied = new CopiedTransactions(known);
    if (PartitionDirectory.isCreated(disk, copy.resolve(InternalLog.TRANSACTIONS.directory()))) {
      EventLog<TransactionEvent> log =
          EventLog.open(InternalLog.TRANSACTIONS, new TransactionEventCodec(), disk, copy, config, COMPACT_BYTES, clock);
      try {
        log.replay(copied::apply, known.live());
      } finally {
        log.close();
      }
    }
    return copied;
  }

  private void apply(TransactionEvent event) {
    known.apply(event);
    if (event instanceof TransactionEvent.Changed changed) {
      producerIds.add(changed.transaction().producerId());
    }
  }

  /**
   * Whether a transaction of the producer that is open in {@code partition} was ended meanwhile, as far as this log knows. One of
   * a producer that it has never heard of was open before, and stays so.
   */
  public boolean isOver(long producerId, TransactionPartition partition) {
    return producerIds.contains(producerId) && !known.hasPart(producerId, partition);
  }
}
