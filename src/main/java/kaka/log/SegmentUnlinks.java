package kaka.log;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unlinks the files of a log's segments that are below its durable start, on a thread that is not its owner's: a file system
 * can take long for a large one. What is not unlinked, because the log ended first or the disk refused, goes at the next open.
 */
final class SegmentUnlinks {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentUnlinks.class);

  private final Disk disk;
  private final LogFiles files;
  private final Executor executor;
  private boolean ended; // guarded by this

  SegmentUnlinks(Disk disk, LogFiles files, Executor executor) {
    this.disk = disk;
    this.files = files;
    this.executor = executor;
  }

  /** From the owner's thread, once nobody finds them any more. */
  void unlink(SealedSegment[] expired) throws IOException {
    for (SealedSegment segment : expired) {
      segment.file().retire();
    }
    try {
      executor.execute(() -> unlinkAll(expired));
    } catch (RejectedExecutionException e) { // the broker is stopping
      LOG.debug("expired segments stay until the next start partition={}", files.partition());
    }
  }

  /** Nothing is unlinked any more: the names may soon mean another log's files. Waits for the one that is under way. */
  synchronized void end() {
    ended = true;
  }

  private void unlinkAll(SealedSegment[] expired) {
    try {
      for (SealedSegment segment : expired) {
        unlink(segment);
      }
      syncDirectory();
    } catch (IOException e) {
      LOG.warn("expired segments not deleted, next start goes on partition={} cause={}", files.partition(), e.toString());
    }
  }

  private synchronized void unlink(SealedSegment segment) throws IOException {
    if (!ended) {
      segment.unlink();
    }
  }

  private synchronized void syncDirectory() throws IOException {
    if (!ended) {
      disk.syncDirectory(files.directory());
    }
  }
}
