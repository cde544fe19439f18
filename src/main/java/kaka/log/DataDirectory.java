package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that one broker has to itself: {@code kaka.lock} says whose it is while it runs, {@link DirectoryProperties} which
 * broker's and in which format, and each partition has a directory in it. Every failure to open it is one line for people.
 */
public final class DataDirectory implements Closeable {
  private static final String LOCK = "kaka.lock";
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

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
   * @param directories names in it that are directories if they are there
   * @throws AlreadyLockedException if another broker has it
   * @throws IOException if it cannot be used, in one line; nothing was changed in it then
   */
  public static DataDirectory open(Disk disk, Path directory, String... directories) throws IOException {
    try {
      look(disk, directory, directories);
      WholeFile.createDirectories(disk, directory);
      Closeable lock = disk.lock(directory.resolve(LOCK));
      try {
        UUID brokerId = DirectoryProperties.readAndRepair(disk, directory);
        deleteTemporaries(disk, directory);
        return new DataDirectory(disk, directory, brokerId, lock);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (AlreadyLockedException | LogDamagedException | UnusableDirectoryException e) {
      throw e;
    } catch (IOException e) {
      throw cannotBeUsed(directory, e);
    }
  }

  /** Before anything is written, the lock included: what cannot be used stays as it is. */
  private static void look(Disk disk, Path directory, String... directories) throws IOException {
    if (!disk.exists(directory)) {
      return;
    }
    if (!disk.isDirectory(directory)) {
      throw new UnusableDirectoryException("data directory " + directory + " is not a directory");
    }
    disk.requireWritable(directory);
    for (String name : directories) {
      Path path = directory.resolve(name);
      if (disk.exists(path) && !disk.isDirectory(path)) {
        throw new UnusableDirectoryException(path + " is not a directory");
      }
    }
    Path lock = directory.resolve(LOCK);
    if (disk.exists(lock) && !disk.isFile(lock)) {
      throw new UnusableDirectoryException(lock + " is not a file");
    }
    DirectoryProperties.read(disk, directory);
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

  /** What is wrong with {@code kaka.properties} and its copy, if something is, and what kills left of its own files; changes nothing. */
  public static List<Finding> findings(Disk disk, Path directory) throws IOException {
    List<Finding> findings = new ArrayList<>(DirectoryProperties.findings(disk, directory));
    for (Path temporary : temporaries(disk, directory)) {
      findings.add(Finding.note(temporary, "left by a write that was cut short, and never read: the next start deletes it"));
    }
    return findings;
  }

  private static List<Path> temporaries(Disk disk, Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : List.of(DirectoryProperties.FILE, DirectoryProperties.COPY, ProducerIds.FILE)) {
      Path temporary = WholeFile.temporary(directory.resolve(name));
      if (disk.isFile(temporary)) {
        found.add(temporary);
      }
    }
    return found;
  }

  /** Best effort: they only take room. */
  private static void deleteTemporaries(Disk disk, Path directory) {
    try {
      for (Path temporary : temporaries(disk, directory)) {
        disk.delete(temporary);
      }
    } catch (IOException e) {
      LOG.warn("files of interrupted writes not deleted directory={} cause={}", directory, e.toString());
    }
  }

  private static IOException cannotBeUsed(Path directory, IOException cause) {
    return new UnusableDirectoryException("data directory " + directory + " cannot be used: " + Advice.reasonOf(cause), cause);
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
