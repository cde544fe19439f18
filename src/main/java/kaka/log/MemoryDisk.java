package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A disk in memory ({@code kaka.log.dir = ""}): behaves as {@link RealDisk} does, and is gone with the process. Directories
 * need no parent here.
 */
public final class MemoryDisk implements Disk {
  private static final Path ROOT = Path.of("");

  private final Clock clock;
  private final long capacityBytes;

  /** Every path that exists; a directory has no contents. Guarded by this. */
  private final Map<Path, Entry> entries = new TreeMap<>();

  /** @param contents null for a directory */
  private record Entry(MemoryFile contents) {
    boolean isDirectory() {
      return contents == null;
    }
  }

  public MemoryDisk() {
    this(Clock.systemUTC());
  }

  /** @param clock stamps what is written */
  public MemoryDisk(Clock clock) {
    this(clock, Long.MAX_VALUE);
  }

  /** @param capacityBytes what {@link #usableBytes} counts down from; writes beyond it are still taken */
  public MemoryDisk(Clock clock, long capacityBytes) {
    this.clock = clock;
    this.capacityBytes = capacityBytes;
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return file(file).open(false);
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return file(file).open(true);
  }

  @Override
  public synchronized DiskFile create(Path file) throws IOException {
    if (entries.containsKey(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    if (!isDirectory(parentOf(file))) {
      throw new NoSuchFileException(file.toString());
    }
    MemoryFile contents = new MemoryFile(clock);
    entries.put(file, new Entry(contents));
    return contents.open(true);
  }

  @Override
  public synchronized void createDirectory(Path directory) throws IOException {
    if (exists(directory)) {
      throw new FileAlreadyExistsException(directory.toString());
    }
    entries.put(directory, new Entry(null));
  }

  @Override
  public synchronized List<String> list(Path directory) throws IOException {
    if (!isDirectory(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
    return entries.keySet().stream()
        .filter(path -> parentOf(path).equals(directory) && !path.equals(directory))
        .map(path -> path.getFileName().toString())
        .sorted()
        .toList();
  }

  @Override
  public synchronized boolean exists(Path path) {
    return path.equals(ROOT) || entries.containsKey(path);
  }

  @Override
  public synchronized boolean isDirectory(Path path) {
    Entry entry = entries.get(path);
    return path.equals(ROOT) || entry != null && entry.isDirectory();
  }

  @Override
  public synchronized boolean isFile(Path path) {
    Entry entry = entries.get(path);
    return entry != null && !entry.isDirectory();
  }

  @Override
  public void requireWritable(Path directory) {}

  @Override
  public synchronized void move(Path from, Path to) throws IOException {
    Entry moved = entry(from);
    Entry replaced = entries.get(to);
    if (replaced != null && (replaced.isDirectory() || moved.isDirectory())) {
      throw new FileAlreadyExistsException(to.toString());
    }
    if (!moved.isDirectory()) {
      entries.remove(from);
      entries.put(to, moved);
      return;
    }
    for (Path path : List.copyOf(entries.keySet())) {
      if (path.startsWith(from)) { // itself, and what is in it
        entries.put(to.resolve(from.relativize(path)), entries.remove(path));
      }
    }
  }

  @Override
  public synchronized void link(Path existing, Path link) throws IOException {
    file(existing);
    if (entries.containsKey(link)) {
      throw new FileAlreadyExistsException(link.toString());
    }
    entries.put(link, entries.get(existing));
  }

  @Override
  public synchronized void delete(Path path) throws IOException {
    if (entry(path).isDirectory() && !list(path).isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    entries.remove(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (!isDirectory(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return file(file).lastModifiedMs();
  }

  @Override
  public void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException {
    file(file).setLastModifiedMs(lastModifiedMs);
  }

  @Override
  public synchronized long usableBytes(Path directory) {
    long storedBytes = 0;
    for (Entry entry : entries.values()) {
      storedBytes += entry.isDirectory() ? 0 : entry.contents().sizeBytes();
    }
    return Math.max(0, capacityBytes - storedBytes);
  }

  @Override
  public long totalBytes(Path directory) {
    return capacityBytes;
  }

  /** Nobody else can see this disk: there is nothing to lock. */
  @Override
  public Closeable lock(Path file) {
    return () -> {};
  }

  private synchronized Entry entry(Path path) throws NoSuchFileException {
    Entry entry = entries.get(path);
    if (entry == null) {
      throw new NoSuchFileException(path.toString());
    }
    return entry;
  }

  private MemoryFile file(Path path) throws IOException {
    Entry entry = entry(path);
    if (entry.isDirectory()) {
      throw new IOException(path + " is a directory");
    }
    return entry.contents();
  }

  private static Path parentOf(Path path) {
    Path parent = path.getParent();
    return parent == null ? ROOT : parent;
  }
}
