package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;

/**
 * The directory that one broker has to itself: {@code kaka.lock} says whose it is while it runs, {@code kaka.properties} which
 * broker's and in which format, and each partition has a directory in it. Every failure to open it is one line for people.
 */
public final class DataDirectory implements Closeable {
  private static final int FORMAT_VERSION = 1;
  private static final String LOCK = "kaka.lock";
  private static final String PROPERTIES = "kaka.properties";

  private final Disk disk;
  private final Path path;
  private final UUID brokerId;
  private final Closeable lock;

  private DataDirectory(Disk disk, Path path, UUID brokerId, Closeable lock) {
    this.disk = disk;
    this.path = path;
    this.brokerId = brokerId;
    this.lock = lock;
  }

  /**
   * Takes the directory; makes it, and the broker's id, if they are missing.
   *
   * @throws AlreadyLockedException if another broker has it
   * @throws IOException if it cannot be used, in one line; nothing was changed in it then
   */
  public static DataDirectory open(Disk disk, Path directory) throws IOException {
    if (disk.exists(directory) && !disk.isDirectory(directory)) {
      throw new IOException("data directory " + directory + " is not a directory");
    }
    Closeable lock;
    try {
      WholeFile.createDirectories(disk, directory);
      lock = disk.lock(directory.resolve(LOCK));
    } catch (AlreadyLockedException e) {
      throw e;
    } catch (FileSystemException e) {
      throw new IOException("data directory " + directory + " cannot be written: " + reasonOf(e), e);
    }
    try {
      return new DataDirectory(disk, directory, brokerId(disk, directory.resolve(PROPERTIES)), lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static String reasonOf(FileSystemException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied on " + e.getFile();
    }
    return e.getReason() == null ? e.toString() : e.getReason() + " (" + e.getFile() + ")";
  }

  private static UUID brokerId(Disk disk, Path file) throws IOException {
    if (!disk.exists(file)) {
      UUID id = UUID.randomUUID();
      WholeFile.replace(disk, file, "format.version=" + FORMAT_VERSION + "\nbroker.id=" + id + "\n");
      return id;
    }
    Properties properties = new Properties();
    String format;
    String id;
    try {
      properties.load(new StringReader(WholeFile.read(disk, file)));
      format = properties.getProperty("format.version", "missing");
      id = properties.getProperty("broker.id", "missing");
      if (Integer.parseInt(format) > FORMAT_VERSION) {
        throw new IOException(
            file + " has format.version=" + format + "; this kaka knows up to " + FORMAT_VERSION + ": use a newer one");
      }
      if (Integer.parseInt(format) < 1) {
        throw new IOException(file + " has format.version=" + format + ", not " + FORMAT_VERSION);
      }
      return UUID.fromString(id);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is damaged: format.version and broker.id (a UUID) expected, " + e.getMessage(), e);
    }
  }

  public Path path() {
    return path;
  }

  /** Given to the directory when it was made. */
  public UUID brokerId() {
    return brokerId;
  }

  public Disk disk() {
    return disk;
  }

  /** Lets another broker have it. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
