package kaka.bench;

import java.util.concurrent.atomic.AtomicLong;

/** What one stage produces: its payload, and what was acknowledged of it, by connection and by partition. */
final class Produced {
  private final Payload payload;
  private final AckLedger[] ledgers;
  private final AtomicLong[] ackedEnds;

  Produced(Payload payload, int connections, long[] starts) {
    this.payload = payload;
    this.ledgers = new AckLedger[connections];
    for (int i = 0; i < connections; i++) {
      ledgers[i] = new AckLedger();
    }
    this.ackedEnds = new AtomicLong[starts.length];
    for (int partition = 0; partition < starts.length; partition++) {
      ackedEnds[partition] = new AtomicLong(starts[partition]);
    }
  }

  Payload payload() {
    return payload;
  }

  int partitionOf(int connection) {
    return connection % ackedEnds.length;
  }

  AckLedger ledger(int connection) {
    return ledgers[connection];
  }

  /** One past the last acknowledged offset of this stage. */
  AtomicLong ackedEnd(int partition) {
    return ackedEnds[partition];
  }

  /** To compare a partition with, when its producers have ended. */
  ReadBack readBack(int partition) {
    AckLedger[] own = new AckLedger[ledgers.length];
    for (int i = partition; i < ledgers.length; i += ackedEnds.length) {
      own[i] = ledgers[i];
    }
    return new ReadBack(payload.forThread(), own);
  }
}
