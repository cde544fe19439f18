package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
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
    if (isSomethingElse(disk, directory)) {
      throw new IOException("data directory " + directory + " is not a directory");
    }
    Closeable lock = lock(disk, directory);
    try {
      return new DataDirectory(disk, directory, brokerId(disk, directory), lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Holds a data directory against brokers while something offline works in it, without opening it. Where there never was a
   * broker, as in a copy of a partition's directory, there is nothing to hold.
   *
   * @throws AlreadyLockedException if a broker, or another such work, has it
   */
  public static Closeable claim(Disk disk, Path directory) throws IOException {
    return disk.exists(directory.resolve(LOCK)) ? disk.lock(directory.resolve(LOCK)) : () -> {};
  }

  /** Whether a broker has kept its data here. */
  public static boolean isDataDirectory(Disk disk, Path directory) throws IOException {
    return disk.exists(directory.resolve(LOCK)) || disk.exists(directory.resolve(PROPERTIES));
  }

  /** What is wrong with {@code kaka.properties}, if something is; changes nothing. */
  public static Optional<Finding> problemOf(Disk disk, Path directory) {
    Path file = directory.resolve(PROPERTIES);
    try {
      if (!disk.exists(file)) {
        return Optional.of(Finding.note(file, "missing: the next start writes it, with a new broker id"));
      }
      read(disk, file);
      return Optional.empty();
    } catch (LogDamagedException e) {
      return Optional.of(Finding.of(e));
    } catch (IOException e) {
      return Optional.of(new Finding(Finding.Level.DAMAGE, file, 0, e.getMessage(), "A broker refuses to start with it"));
    }
  }

  private static boolean isSomethingElse(Disk disk, Path directory) throws IOException {
    try {
      return disk.exists(directory) && !disk.isDirectory(directory);
    } catch (IOException e) {
      throw cannotBeWritten(directory, e);
    }
  }

  private static Closeable lock(Disk disk, Path directory) throws IOException {
    try {
      WholeFile.createDirectories(disk, directory);
      return disk.lock(directory.resolve(LOCK));
    } catch (AlreadyLockedException e) {
      throw e;
    } catch (IOException e) {
      throw cannotBeWritten(directory, e);
    }
  }

  private static UUID brokerId(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(PROPERTIES);
    boolean isThere;
    try {
      isThere = disk.exists(file);
    } catch (IOException e) {
      throw cannotBeWritten(directory, e);
    }
    if (isThere) {
      return read(disk, file);
    }
    UUID id = UUID.randomUUID();
    try {
      WholeFile.replace(disk, file, "format.version=" + FORMAT_VERSION + "\nbroker.id=" + id + "\n");
    } catch (IOException e) {
      throw cannotBeWritten(directory, e);
    }
    return id;
  }

  private static UUID read(Disk disk, Path file) throws IOException {
    try {
      Properties properties = new Properties();
      properties.load(new StringReader(WholeFile.read(disk, file)));
      int format = Integer.parseInt(properties.getProperty("format.version", "missing"));
      if (format > FORMAT_VERSION) {
        throw new IOException(
            file + " has format.version=" + format + ", this kaka knows up to " + FORMAT_VERSION + ": use a newer one");
      }
      if (format < FORMAT_VERSION) {
        throw new IOException(file + " has format.version=" + format + ", which no kaka wrote");
      }
      return UUID.fromString(properties.getProperty("broker.id", "missing"));
    } catch (IllegalArgumentException e) { // a number or an id that is none
      throw new LogDamagedException(
          file,
          0,
          "expected format.version and broker.id",
          Advice.forText(
              file,
              "this kaka wrote what is here",
              "format.version=" + FORMAT_VERSION + "\nbroker.id=" + UUID.randomUUID() + "\n"));
    }
  }

  private static IOException cannotBeWritten(Path directory, IOException cause) {
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    if (cause instanceof AccessDeniedException denied) {
      reason = "permission denied on " + denied.getFile();
    } else if (cause instanceof FileSystemException failed && failed.getReason() == null) {
      reason = cause.getClass().getSimpleName() + " " + failed.getFile();
    }
    return new IOException("data directory " + directory + " cannot be written: " + reason, cause);
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
