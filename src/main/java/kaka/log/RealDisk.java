package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The file system. A thread that is interrupted while it is in here closes its file for good (that is how
 * {@link FileChannel} works), so storage threads are never interrupted.
 */
public final class RealDisk implements Disk {
  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return open(file, StandardOpenOption.READ);
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static DiskFile open(Path file, StandardOpenOption... options) throws IOException {
    try {
      return new RealFile(FileChannel.open(file, options));
    } catch (NoSuchFileException e) {
      requireNoLink(file);
      throw e;
    }
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
      return namesOf(entries);
    }
  }

  /** The stream reads the directory while it is consumed, and can only throw unchecked. */
  static List<String> namesOf(Stream<Path> entries) throws IOException {
    try {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return attributes(path).isPresent();
  }

  @Override
  public boolean isDirectory(Path path) throws IOException {
    return attributes(path).filter(BasicFileAttributes::isDirectory).isPresent();
  }

  @Override
  public boolean isFile(Path path) throws IOException {
    return attributes(path).filter(BasicFileAttributes::isRegularFile).isPresent();
  }

  /** Empty only if it is sure that there is nothing: no such entry, or a file where a directory would have to be. */
  private static Optional<BasicFileAttributes> attributes(Path path) throws IOException {
    try {
      return Optional.of(Files.readAttributes(path, BasicFileAttributes.class));
    } catch (NoSuchFileException e) {
      requireNoLink(path);
      return Optional.empty();
    } catch (FileSystemException e) {
      Path parent = path.getParent();
      if (parent != null && !attributes(parent).map(BasicFileAttributes::isDirectory).orElse(false)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** @param missing there is nothing of that name, or it, or what it is in, is a symbolic link to nothing */
  private static void requireNoLink(Path missing) throws IOException {
    Path at = missing;
    while (at != null && !Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
      at = at.getParent();
    }
    if (at != null && Files.isSymbolicLink(at) && Files.notExists(at)) {
      throw new FileSystemException(
          at.toString(), null, "a symbolic link to " + Files.readSymbolicLink(at) + ", where there is nothing");
    }
  }

  @Override
  public void requireWritable(Path directory) throws IOException {
    directory.getFileSystem().provider().checkAccess(directory, AccessMode.WRITE, AccessMode.EXECUTE);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    try {
      Files.createLink(link, existing);
    } catch (UnsupportedOperationException e) {
      throw new IOException("no second name for " + existing + ": " + e.getMessage(), e);
    }
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
  public void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(lastModifiedMs));
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getTotalSpace();
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
