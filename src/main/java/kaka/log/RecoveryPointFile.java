package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * {@code recovery-point}, overwritten in place after every sync of the log. It is itself synced only on roll and close: after
 * a power cut it may be older than the log, never newer. Has the log's owner.
 */
final class RecoveryPointFile implements Closeable {
  private final DiskFile file;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(RecoveryPoint.SIZE);

  private RecoveryPointFile(DiskFile file) {
    this.file = file;
  }

  /** What the file says; empty if it is missing, short or damaged: then nothing is known. */
  static Optional<RecoveryPoint> read(Disk disk, LogFiles files) throws IOException {
    if (!disk.exists(files.recoveryPoint())) {
      return Optional.empty();
    }
    try (DiskFile file = disk.openForReading(files.recoveryPoint())) {
      ByteBuffer content = ByteBuffer.allocate(RecoveryPoint.SIZE);
      file.read(content, 0);
      return RecoveryPoint.decode(content.flip());
    }
  }

  /** Opens it for writing and makes it if it is missing; the caller syncs the directory. */
  static RecoveryPointFile open(Disk disk, LogFiles files) throws IOException {
    return new RecoveryPointFile(
        disk.exists(files.recoveryPoint())
            ? disk.openForWriting(files.recoveryPoint())
            : disk.create(files.recoveryPoint()));
  }

  /** @param point not newer than what was synced */
  void write(RecoveryPoint point) throws IOException {
    point.encode(buffer);
    file.write(buffer, 0);
  }

  void sync() throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
