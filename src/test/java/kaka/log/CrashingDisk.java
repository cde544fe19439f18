package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A disk that knows what a power cut leaves: only synced bytes, and names whose directory was synced, are sure; of the rest
 * anything can remain, as {@link #afterPowerCut} decides. Directories' changes reach the disk in order, but for one way to lose
 * the power; bytes in any.
 *
 * <p>A sync that {@link #failNextSync} fails drops the dirty bytes as file systems do: they are seen until the power cut and
 * no later sync writes them, unless they are written again.
 */
public final class CrashingDisk implements Disk {
  /** What of the unsynced remains. */
  public enum Unsynced {
    NOTHING,
    EVERYTHING,
    ANYTHING,
    /** As anything, and a change of a directory may be there without those before it: what no file system does, but may. */
    REORDERED
  }

  private static final int SECTOR_BYTES = 64; // small, so that small writes can be torn; the recovery point lies in one

  private sealed interface Node permits Inode, Folder {}

  private static final class Inode implements Node {
    byte[] bytes = new byte[0];
    byte[] synced = new byte[0];
    final BitSet dirty = new BitSet();
  }

  private static final class Folder implements Node {
    TreeMap<String, Node> entries = new TreeMap<>();
    TreeMap<String, Node> synced = new TreeMap<>();
    final List<Consumer<Map<String, Node>>> unsynced = new ArrayList<>();

    void change(Consumer<Map<String, Node>> change) {
      change.accept(entries);
      unsynced.add(change);
    }
  }

  private Folder root = new Folder();
  private boolean syncFails;

  /** The next sync of a file fails and loses what it should have written. */
  public synchronized void failNextSync() {
    syncFails = true;
  }

  /** The disk as the next process finds it. */
  public synchronized CrashingDisk afterPowerCut(Unsynced unsynced, Random random) {
    CrashingDisk after = new CrashingDisk();
    after.root = (Folder) survivor(root, unsynced, random);
    return after;
  }

  private static Node survivor(Node node, Unsynced unsynced, Random random) {
    if (node instanceof Inode inode) {
      Inode after = new Inode();
      after.bytes = survivingBytes(inode, unsynced, random);
      after.synced = after.bytes.clone();
      return after;
    }
    Folder folder = (Folder) node;
    TreeMap<String, Node> names = new TreeMap<>(folder.synced);
    List<Consumer<Map<String, Node>>> kept = new ArrayList<>(folder.unsynced);
    switch (unsynced) {
      case NOTHING -> kept.clear();
      case EVERYTHING -> {}
      case ANYTHING -> kept = kept.subList(0, random.nextInt(kept.size() + 1));
      case REORDERED -> kept.removeIf(change -> random.nextBoolean());
    }
    kept.forEach(change -> change.accept(names));
    Folder after = new Folder();
    names.forEach((name, entry) -> after.entries.put(name, survivor(entry, unsynced, random)));
    after.synced = new TreeMap<>(after.entries);
    return after;
  }

  private static byte[] survivingBytes(Inode inode, Unsynced unsynced, Random random) {
    if (unsynced == Unsynced.NOTHING) {
      return inode.synced.clone();
    }
    if (unsynced == Unsynced.EVERYTHING) {
      return inode.bytes.clone();
    }
    int shorter = Math.min(inode.synced.length, inode.bytes.length);
    int longer = Math.max(inode.synced.length, inode.bytes.length);
    byte[] after = Arrays.copyOf(inode.synced, shorter + random.nextInt(longer - shorter + 1));
    for (int sector = 0; sector < after.length; sector += SECTOR_BYTES) {
      boolean written = random.nextBoolean();
      for (int i = sector; written && i < Math.min(Math.min(sector + SECTOR_BYTES, after.length), inode.bytes.length); i++) {
        after[i] = inode.dirty.get(i) ? inode.bytes[i] : after[i];
      }
    }
    return after;
  }

  // The disk

  @Override
  public synchronized DiskFile openForReading(Path file) throws IOException {
    return new Handle(inode(file));
  }

  @Override
  public synchronized DiskFile openForWriting(Path file) throws IOException {
    return new Handle(inode(file));
  }

  @Override
  public synchronized DiskFile create(Path file) throws IOException {
    Folder parent = parent(file);
    String name = name(file);
    if (parent.entries.containsKey(name)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Inode inode = new Inode();
    parent.change(entries -> entries.put(name, inode));
    return new Handle(inode);
  }

  @Override
  public synchronized void createDirectory(Path directory) throws IOException {
    Folder parent = parent(directory);
    String name = name(directory);
    if (parent.entries.containsKey(name)) {
      throw new FileAlreadyExistsException(directory.toString());
    }
    Folder folder = new Folder();
    parent.change(entries -> entries.put(name, folder));
  }

  @Override
  public synchronized List<String> list(Path directory) throws IOException {
    return List.copyOf(folder(directory).entries.keySet());
  }

  @Override
  public synchronized boolean exists(Path path) {
    return find(path) != null;
  }

  @Override
  public synchronized boolean isDirectory(Path path) {
    return find(path) instanceof Folder;
  }

  @Override
  public synchronized boolean isFile(Path path) {
    return find(path) instanceof Inode;
  }

  @Override
  public void requireWritable(Path directory) {}

  @Override
  public synchronized void move(Path from, Path to) throws IOException {
    Folder parent = parent(from);
    if (parent != parent(to)) {
      throw new IOException("only within a directory");
    }
    Node moved = parent.entries.get(name(from));
    if (moved == null) {
      throw new NoSuchFileException(from.toString());
    }
    if (moved instanceof Folder && parent.entries.containsKey(name(to))) {
      throw new FileAlreadyExistsException(to.toString());
    }
    parent.change(
        entries -> {
          entries.remove(name(from));
          entries.put(name(to), moved);
        });
  }

  @Override
  public synchronized void link(Path existing, Path link) throws IOException {
    Inode inode = inode(existing);
    if (find(link) != null) {
      throw new FileAlreadyExistsException(link.toString());
    }
    parent(link).change(entries -> entries.put(name(link), inode));
  }

  @Override
  public synchronized void delete(Path path) throws IOException {
    if (find(path) == null) {
      throw new NoSuchFileException(path.toString());
    }
    if (find(path) instanceof Folder folder && !folder.entries.isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    parent(path).change(entries -> entries.remove(name(path)));
  }

  @Override
  public synchronized void syncDirectory(Path directory) throws IOException {
    Folder folder = folder(directory);
    folder.synced = new TreeMap<>(folder.entries);
    folder.unsynced.clear();
  }

  @Override
  public long lastModifiedMs(Path file) {
    return System.currentTimeMillis();
  }

  /** It has no times. */
  @Override
  public void setLastModifiedMs(Path file, long lastModifiedMs) {}

  @Override
  public long usableBytes(Path directory) {
    return Long.MAX_VALUE;
  }

  @Override
  public long totalBytes(Path directory) {
    return Long.MAX_VALUE;
  }

  @Override
  public Closeable lock(Path file) {
    return () -> {};
  }

  private Node find(Path path) {
    Node node = root;
    for (Path name : path) {
      if (name.toString().isEmpty()) {
        continue;
      }
      if (!(node instanceof Folder folder)) {
        return null;
      }
      node = folder.entries.get(name.toString());
    }
    return node;
  }

  private Inode inode(Path file) throws IOException {
    if (find(file) instanceof Inode inode) {
      return inode;
    }
    throw new NoSuchFileException(file.toString());
  }

  private Folder folder(Path directory) throws IOException {
    if (find(directory) instanceof Folder folder) {
      return folder;
    }
    throw new NoSuchFileException(directory.toString());
  }

  private Folder parent(Path path) throws IOException {
    return folder(path.getParent() == null ? Path.of("") : path.getParent());
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  private final class Handle implements DiskFile {
    private final Inode inode;

    Handle(Inode inode) {
      this.inode = inode;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      synchronized (CrashingDisk.this) {
        int count = (int) Math.min(target.remaining(), Math.max(0, inode.bytes.length - position));
        if (count > 0) {
          target.put(inode.bytes, (int) position, count);
        }
        return Math.max(0, count);
      }
    }

    @Override
    public void write(ByteBuffer source, long position) {
      synchronized (CrashingDisk.this) {
        int from = (int) position;
        int end = from + source.remaining();
        if (end > inode.bytes.length) {
          inode.bytes = Arrays.copyOf(inode.bytes, end);
        }
        source.get(inode.bytes, from, end - from);
        inode.dirty.set(from, end);
      }
    }

    @Override
    public void truncate(long sizeBytes) {
      synchronized (CrashingDisk.this) {
        inode.bytes = Arrays.copyOf(inode.bytes, (int) Math.min(sizeBytes, inode.bytes.length));
        inode.dirty.clear((int) sizeBytes, Integer.MAX_VALUE);
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (CrashingDisk.this) {
        if (syncFails) {
          syncFails = false;
          inode.dirty.clear();
          throw new IOException("fault injected: the disk did not take the bytes");
        }
        byte[] synced = Arrays.copyOf(inode.synced, inode.bytes.length);
        inode.dirty.stream().forEach(i -> synced[i] = inode.bytes[i]);
        inode.synced = synced;
        inode.dirty.clear();
      }
    }

    @Override
    public long sizeBytes() {
      synchronized (CrashingDisk.this) {
        return inode.bytes.length;
      }
    }

    @Override
    public void close() {}
  }
}
