package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The {@code .log} file of a segment, open while somebody holds it: the descriptor comes with the first read and goes with the
 * last holder, so stored data costs no descriptors. Safe from any thread; its lock is held while a file is opened, never
 * while one is read or written.
 */
final class SegmentFile {
  private final Disk disk;
  private final Path path;

  private DiskFile file; // null while it is not open
  private int holderCount;
  private boolean gone;

  /** Nobody holds it yet. */
  SegmentFile(Disk disk, Path path) {
    this.disk = disk;
    this.path = path;
  }

  /** The caller is its first holder. */
  static SegmentFile held(Disk disk, Path path, DiskFile file) {
    SegmentFile held = new SegmentFile(disk, path);
    held.file = file;
    held.holderCount = 1;
    return held;
  }

  Path path() {
    return path;
  }

  /** @throws StaleSnapshotException if it is gone */
  synchronized void retain() throws StaleSnapshotException {
    if (gone) {
      throw new StaleSnapshotException(path);
    }
    holderCount++;
  }

  /** For a holder: the open file. */
  synchronized DiskFile file() throws IOException {
    if (file == null) {
      file = disk.openForReading(path);
    }
    return file;
  }

  synchronized void release() throws IOException {
    holderCount--;
    if (holderCount == 0 && file != null) {
      DiskFile closing = file;
      file = null;
      closing.close();
    }
  }

  /** It is going to be unlinked. Those who hold it read on; nobody new can. */
  synchronized void retire() throws IOException {
    if (holderCount > 0) {
      file(); // one that a holder has not read yet: after the unlink it could not be opened
    }
    gone = true;
  }

  /** Makes the caller a holder, with the file open: its name may soon mean another file. */
  synchronized void pin() throws IOException {
    retain();
    try {
      file();
    } catch (IOException e) {
      release();
      throw e;
    }
  }

  /** For one who has {@link #pin}ned it: nobody new can hold it from now on. */
  synchronized void retirePinned() throws IOException {
    gone = true;
    release();
  }

  /** Nobody new can hold it: its name may soon mean another file. */
  synchronized void close() {
    gone = true;
  }
}
