package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A disk of which only so many files are open at a time (see {@link DescriptorBudget}): it refuses before the system would,
 * and whom it refuses is decided here, not by chance.
 */
public final class BoundedDisk implements Disk {
  private final Disk disk;
  private final DescriptorBudget descriptors;

  public BoundedDisk(Disk disk, DescriptorBudget descriptors) {
    this.disk = disk;
    this.descriptors = descriptors;
  }

  @FunctionalInterface
  private interface Opening {
    DiskFile open() throws IOException;
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return counted(descriptors.tryTakeForReading(), file, () -> disk.openForReading(file));
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return counted(descriptors.tryTakeForOpening(), file, () -> disk.openForWriting(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return counted(descriptors.tryTakeForWriting(), file, () -> disk.create(file));
  }

  @Override
  public DiskFile createSpare(Path file) throws IOException {
    return counted(descriptors.tryTakeForReading(), file, () -> disk.createSpare(file));
  }

  private DiskFile counted(boolean taken, Path file, Opening opening) throws IOException {
    if (!taken) {
      throw new IOException(
          file + " not opened: " + descriptors.openCount() + " files are open, at most " + descriptors.maxOpen()
              + " may be; raise the limit of open files (ulimit -n, LimitNOFILE)");
    }
    try {
      return new CountedFile(opening.open(), descriptors);
    } catch (IOException | RuntimeException e) {
      descriptors.release();
      throw e;
    }
  }

  private static final class CountedFile implements DiskFile {
    private final DiskFile file;
    private final DescriptorBudget descriptors;
    private final AtomicBoolean closed = new AtomicBoolean();

    CountedFile(DiskFile file, DescriptorBudget descriptors) {
      this.file = file;
      this.descriptors = descriptors;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      file.write(source, position);
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      file.truncate(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public long sizeBytes() throws IOException {
      return file.sizeBytes();
    }

    @Override
    public void close() throws IOException {
      if (!closed.getAndSet(true)) {
        try {
          file.close();
        } finally {
          descriptors.release();
        }
      }
    }
  }

  // ---------------------------------------------------------------- what opens no file for longer than the call

  @Override
  public void createDirectory(Path directory) throws IOException {
    disk.createDirectory(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return disk.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) throws IOException {
    return disk.isDirectory(path);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    disk.delete(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    disk.syncDirectory(directory);
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return disk.lastModifiedMs(file);
  }

  @Override
  public void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException {
    disk.setLastModifiedMs(file, lastModifiedMs);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  @Override
  public Closeable lock(Path file) throws IOException {
    return disk.lock(file);
  }
}
