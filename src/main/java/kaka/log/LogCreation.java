package kaka.log;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Makes the files of a new log. {@code partition.metadata} comes last: without it the log does not exist yet and holds no
 * record, so creation can simply go on; with it, a segment must be there.
 */
final class LogCreation {
  private LogCreation() {}

  static void create(Disk disk, LogFiles files, UUID topicId) throws IOException {
    Path directory = files.directory();
    if (disk.exists(files.metadata())) {
      throw new FileAlreadyExistsException(directory.toString(), null, "a log is there");
    }
    if (!disk.isDirectory(directory)) {
      disk.createDirectory(directory);
    }
    requireNoRecords(disk, files);
    disk.syncDirectory(WholeFile.parentOf(directory));
    if (!disk.exists(files.log(0))) {
      disk.create(files.log(0)).close();
    }
    try (RecoveryPointFile point = RecoveryPointFile.open(disk, files)) {
      point.write(new RecoveryPoint(0, 0, 0));
      point.sync();
    }
    LogStartOffset.create(disk, files);
    disk.syncDirectory(directory);
    PartitionMetadata.write(disk, files, topicId);
  }

  private static void requireNoRecords(Disk disk, LogFiles files) throws IOException {
    for (String name : disk.list(files.directory())) {
      if (LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).isPresent()) {
        try (DiskFile file = disk.openForReading(files.directory().resolve(name))) {
          if (file.sizeBytes() > 0 || !files.log(0).endsWith(name)) {
            throw new FileAlreadyExistsException(
                files.directory().toString(), null, name + " is there, but partition.metadata is not");
          }
        }
      }
    }
  }
}
