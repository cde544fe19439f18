package kaka.log;

import java.nio.file.Path;
import java.time.Clock;

/** What the logs of one data directory share. Safe from any thread. */
public record LogResources(StagingPool staging, DiskSpaceWatch space) {
  /** For a log that is alone: a tool's, or the registry's. */
  static LogResources ofOne(Disk disk, Path directory, Clock clock) {
    return new LogResources(new StagingPool(StagingPool.BUFFER_BYTES), new DiskSpaceWatch(disk, directory, clock));
  }
}
