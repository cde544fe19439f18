package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The seam: every file operation of kaka goes through it. {@link RealDisk} is the file system, {@link MemoryDisk} keeps
 * everything in memory with the same behaviour; tests put their own in between. Safe from any thread.
 */
public interface Disk {
  /** Opens an existing file for reading only. */
  DiskFile openForReading(Path file) throws IOException;

  /** Opens an existing file for reading and writing; nothing in it changes. */
  DiskFile openForWriting(Path file) throws IOException;

  /**
   * Makes a new, empty file and opens it for reading and writing. It survives a power cut only after {@link #syncDirectory}.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one already
   */
  DiskFile create(Path file) throws IOException;

  /** As {@link #create}, for a file that a log can do without: where files are scarce it is refused before others are. */
  default DiskFile createSpare(Path file) throws IOException {
    return create(file);
  }

  /** Makes one directory, whose parent exists; durable after {@link #syncDirectory} on the parent. */
  void createDirectory(Path directory) throws IOException;

  /** Names of what is in a directory, in their natural order. */
  List<String> list(Path directory) throws IOException;

  /**
   * Whether there is something of that name.
   *
   * @throws IOException if that cannot be told, which must never be taken for a no; also for a symbolic link to nothing, behind
   *     which there may be a disk that is not mounted
   */
  boolean exists(Path path) throws IOException;

  /**
   * Whether there is a directory of that name.
   *
   * @throws IOException if that cannot be told
   */
  boolean isDirectory(Path path) throws IOException;

  /**
   * Whether there is a regular file of that name: one that can be read to an end, and is not a pipe, say.
   *
   * @throws IOException if that cannot be told
   */
  boolean isFile(Path path) throws IOException;

  /**
   * Finds out, without changing anything, whether names can be made in {@code directory}, which exists.
   *
   * @throws IOException if not, for want of permission or because the file system is read-only
   */
  void requireWritable(Path directory) throws IOException;

  /** Renames a file, replacing one of that name, or a directory, at one stroke. */
  void move(Path from, Path to) throws IOException;

  /**
   * Gives an existing file a second name, on the same file system; durable after {@link #syncDirectory}.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is something of that name
   * @throws IOException also if the file system has no such links
   */
  void link(Path existing, Path link) throws IOException;

  /** Unlinks a file or an empty directory; whoever has the file open still reads it. */
  void delete(Path path) throws IOException;

  /** Makes durable which names a directory holds: what was created in it, renamed and deleted. */
  void syncDirectory(Path directory) throws IOException;

  /** When the file was last written, in milliseconds since 1970. */
  long lastModifiedMs(Path file) throws IOException;

  /** Says so, as if the file had last been written then; a power cut may undo it. */
  void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException;

  /** Bytes that this process can still write where {@code directory} is. */
  long usableBytes(Path directory) throws IOException;

  /** Bytes that there are where {@code directory} is, whoever has them. */
  long totalBytes(Path directory) throws IOException;

  /**
   * Takes the exclusive lock that {@code file} stands for, makes the file if it is missing and writes this process's id
   * into it. The lock ends when it is closed, or with the process; the file stays.
   *
   * @throws AlreadyLockedException if it is taken, by another process or by this one
   */
  Closeable lock(Path file) throws IOException;
}
