package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/** Where the end of a segment is kept before it is cut: {@code <base offset>.<position>.cut}, never one that is there. */
final class CutFile {
  private final Disk disk;
  private final LogFiles files;
  private final long baseOffset;

  CutFile(Disk disk, LogFiles files, long baseOffset) {
    this.disk = disk;
    this.files = files;
    this.baseOffset = baseOffset;
  }

  /** Copies the bytes of the segment from {@code from} to {@code to}, synced; the caller syncs the directory. */
  Path keep(DiskFile file, int from, int to) throws IOException {
    for (int attempt = 0; ; attempt++) {
      Path kept = files.cut(baseOffset, from, attempt);
      if (!disk.exists(kept)) {
        write(kept, file, from, to);
        return kept;
      }
      if (holds(kept, file, from, to)) { // a crash came between keeping and cutting
        try (DiskFile out = disk.openForWriting(kept)) {
          FileCopy.rewrite(out, 0, to - from);
        }
        return kept;
      }
    }
  }

  private void write(Path kept, DiskFile file, int from, int to) throws IOException {
    try (DiskFile out = disk.create(kept)) {
      FileCopy.copy(file, from, to, out);
    } catch (IOException e) {
      dropPart(kept, e);
      throw e;
    }
  }

  /** What could not be kept whole is still whole in the log: the part only takes space, of which there may be none. */
  private void dropPart(Path kept, IOException cause) {
    try {
      if (disk.exists(kept)) {
        disk.delete(kept);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private boolean holds(Path kept, DiskFile file, int from, int to) throws IOException {
    try (DiskFile in = disk.openForReading(kept)) {
      return FileCopy.isCopy(file, from, to, in);
    }
  }
}
