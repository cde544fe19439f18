package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Files that are written as a whole: whoever reads one finds the old contents or the new, never a part. */
final class WholeFile {
  /** No text that is read as a whole is larger: what is, is none of ours. */
  private static final int MAX_TEXT_BYTES = 64 * 1024;

  private static final String TEMPORARY = ".tmp";

  private WholeFile() {}

  /** What {@code file} is written as. A kill may leave it: it is never read. */
  static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + TEMPORARY);
  }

  /** The name of the file that one of this name was to become; empty if it is none that is written as a whole. */
  static Optional<String> targetOf(String temporary) {
    return temporary.endsWith(TEMPORARY)
        ? Optional.of(temporary.substring(0, temporary.length() - TEMPORARY.length()))
        : Optional.empty();
  }

  /** Durable when it returns: written under another name, synced, renamed, directory synced. */
  static void replace(Disk disk, Path file, String content) throws IOException {
    replace(disk, file, ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
  }

  /** As above, for bytes. */
  static void replace(Disk disk, Path file, ByteBuffer content) throws IOException {
    Path temporary = temporary(file);
    if (disk.exists(temporary)) { // a crash left it
      disk.delete(temporary);
    }
    try (DiskFile out = disk.create(temporary)) {
      out.write(content, 0);
      out.sync();
    }
    disk.move(temporary, file);
    disk.syncDirectory(parentOf(file));
  }

  static String read(Disk disk, Path file) throws IOException {
    try (DiskFile in = disk.openForReading(file)) {
      long sizeBytes = in.sizeBytes();
      if (sizeBytes > MAX_TEXT_BYTES) {
        throw new IOException(file + " has " + sizeBytes + " bytes, more than it can have");
      }
      byte[] content = new byte[(int) sizeBytes];
      int count = in.read(ByteBuffer.wrap(content), 0);
      return new String(content, 0, count, StandardCharsets.UTF_8);
    }
  }

  /** Makes {@code directory} and what is missing above it; durable when it returns. */
  static void createDirectories(Disk disk, Path directory) throws IOException {
    if (disk.isDirectory(directory)) {
      return;
    }
    Path parent = parentOf(directory);
    createDirectories(disk, parent);
    disk.createDirectory(directory);
    disk.syncDirectory(parent);
  }

  static Path parentOf(Path path) {
    Path parent = path.getParent();
    return parent == null ? Path.of("") : parent;
  }
}
