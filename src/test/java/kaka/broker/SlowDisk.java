package kaka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import kaka.config.KakaConfig;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.WrittenFilesDisk;

/** A disk whose syncs of files take long, or do not return at all. */
public final class SlowDisk extends WrittenFilesDisk {
  private static final long LOOK_NS = 20_000_000;

  private final long delayMs;
  private final Path stuckWhile;

  private SlowDisk(Disk disk, long delayMs, Path stuckWhile) {
    super(disk);
    this.delayMs = delayMs;
    this.stuckWhile = stuckWhile;
  }

  /**
   * Starts a broker on such a disk, over that of its settings.
   *
   * @param delayMs what every sync takes on top
   * @param stuckWhile as long as this file exists no sync returns
   */
  public static Broker startBroker(KakaConfig config, long delayMs, Path stuckWhile) throws BrokerStartException {
    return Broker.start(config, new SlowDisk(Broker.diskOf(config), delayMs, stuckWhile));
  }

  @Override
  protected DiskFile written(Path path, DiskFile file) {
    return new SlowFile(file);
  }

  private final class SlowFile extends ForwardingFile {
    SlowFile(DiskFile file) {
      super(file);
    }

    @Override
    public void sync() throws IOException {
      long until = System.nanoTime() + delayMs * 1_000_000;
      for (long left = delayMs * 1_000_000; left > 0; left = until - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      while (Files.exists(stuckWhile)) {
        LockSupport.parkNanos(LOOK_NS);
      }
      super.sync();
    }
  }
}
