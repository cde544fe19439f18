package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The zeros that an active segment's file has behind its batches; see {@link Preallocation}. Nobody reads them: a segment ends where
 * its batches do. Has the segment's owner.
 *
 * <p>They are written only while every byte of a batch that was written is synced. So whatever the disk says of them is about
 * nothing else, and where it refuses them the segment goes on without.
 */
final class ZeroedRoom {
  private static final Logger LOG = LoggerFactory.getLogger(ZeroedRoom.class);

  /** Free beside {@code min-free-bytes} after zeros were written: they are no reason to refuse a produce. */
  private static final long SPARE_BYTES = 64 << 20;

  /** A commit counts for an eighth, all before it for the rest. */
  private static final int AVERAGE_OVER = 8;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

  private final DiskFile file;
  private int fileBytes; // at least: zeros that were refused may be there in part
  private int commitBytes; // on average
  private boolean isRefused;

  /** @param fileBytes size of the file, which has no zeros yet */
  ZeroedRoom(DiskFile file, int fileBytes) {
    this.file = file;
    this.fileBytes = fileBytes;
  }

  /** The segment's batches reach up to there now. */
  void written(int writtenBytes) {
    fileBytes = Math.max(fileBytes, writtenBytes);
  }

  /** So much was synced at once. */
  void committed(int sizeBytes) {
    commitBytes = commitBytes == 0 ? sizeBytes : commitBytes + (sizeBytes - commitBytes) / AVERAGE_OVER;
  }

  /**
   * Takes the zeros off, if there are any, and syncs all that is written.
   *
   * @return whether there were
   */
  boolean cut(int endBytes, Disk disk, Path path) throws IOException {
    if (fileBytes == endBytes) {
      return false;
    }
    cut(file, endBytes, disk, path);
    fileBytes = endBytes;
    return true;
  }

  /** Takes off what is behind {@code endBytes}, synced; that is no write of a record, so the time of the last one stays. */
  static void cut(DiskFile file, int endBytes, Disk disk, Path path) throws IOException {
    long lastModifiedMs = disk.lastModifiedMs(path);
    file.truncate(endBytes);
    file.sync();
    try {
      disk.setLastModifiedMs(path, lastModifiedMs);
    } catch (IOException e) { // only its owner may do that: producers and undated records count as younger then
      LOG.debug("time of the last write not kept log={}", path, e);
    }
  }

  /**
   * Writes zeros for the next commits where that is worth it, and leaves plenty of room on the disk; the next sync covers them.
   *
   * @param storedBytes all written and synced
   * @param path of the file
   */
  void extend(int storedBytes, LogConfig config, DiskSpaceWatch space, Path path) {
    if (isRefused || commitBytes == 0) {
      return;
    }
    int wantedBytes = config.preallocation().fileBytesFor(storedBytes, fileBytes, commitBytes, config.segmentBytes());
    int addedBytes = wantedBytes - fileBytes;
    long freeBytes = Math.max(config.minFreeBytes(), config.minFreeBytes() + SPARE_BYTES); // the sum may not fit
    if (addedBytes == 0 || !space.reserve(addedBytes, freeBytes)) {
      return;
    }
    int from = fileBytes;
    fileBytes = wantedBytes; // also if only a part comes to be there
    try {
      write(from, wantedBytes);
    } catch (IOException e) {
      isRefused = true;
      LOG.warn("no zeros written ahead, the segment goes on without log={} cause={}", path, e.toString());
    } finally {
      space.settle(addedBytes);
    }
  }

  private void write(int from, int to) throws IOException {
    for (int at = from; at < to; ) {
      int count = Math.min(ZEROS.capacity(), to - at);
      file.write(ZEROS.slice(0, count), at);
      at += count;
    }
  }
}
