package kaka.log;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/**
 * What the logs of one data directory share. Safe from any thread.
 *
 * @param unlinks where the files of expired segments are unlinked, which blocks
 */
public record LogResources(StagingPool staging, DiskSpaceWatch space, Executor unlinks) {
  /** For a log that is alone: a tool's, or the registry's. */
  static LogResources ofOne(Disk disk, Path directory, Clock clock) {
    return new LogResources(
        new StagingPool(StagingPool.BUFFER_BYTES), new DiskSpaceWatch(disk, directory, clock), Runnable::run);
  }
}
