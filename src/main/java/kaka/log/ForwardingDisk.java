package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Another disk, unchanged: what stands between kaka and a disk overrides what it is about. */
public class ForwardingDisk implements Disk {
  private final Disk disk;

  /** @param disk where everything goes */
  public ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  /** Another file, unchanged. */
  public static class ForwardingFile implements DiskFile {
    private final DiskFile file;

    /** @param file where everything goes */
    public ForwardingFile(DiskFile file) {
      this.file = file;
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
      file.close();
    }
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return disk.openForReading(file);
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return disk.openForWriting(file);
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return disk.create(file);
  }

  @Override
  public DiskFile createSpare(Path file) throws IOException {
    return disk.createSpare(file);
  }

  @Override
  public void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException {
    disk.setLastModifiedMs(file, lastModifiedMs);
  }

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
  public boolean isFile(Path path) throws IOException {
    return disk.isFile(path);
  }

  @Override
  public void requireWritable(Path directory) throws IOException {
    disk.requireWritable(directory);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    disk.link(existing, link);
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
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public Closeable lock(Path file) throws IOException {
    return disk.lock(file);
  }
}
