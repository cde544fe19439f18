package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The file system. A thread that is interrupted while it is in here closes its file for good (that is how
 * {@link FileChannel} works), so storage threads are never interrupted.
 */
public final class RealDisk implements Disk {
  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return new RealFile(FileChannel.open(file, StandardOpenOption.READ));
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return new RealFile(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return new RealFile(
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return Files.isDirectory(path);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.delete(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toMillis();
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public Closeable lock(Path file) throws IOException {
    return ProcessLock.take(file);
  }

  private record RealFile(FileChannel channel) implements DiskFile {
    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int start = target.position();
      while (target.hasRemaining()) {
        if (channel.read(target, position + target.position() - start) < 0) {
          break;
        }
      }
      return target.position() - start;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      long at = position;
      while (source.hasRemaining()) { // a write may be short
        at += channel.write(source, at);
      }
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      channel.truncate(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      channel.force(false);
    }

    @Override
    public long sizeBytes() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
