package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A lock file of the operating system's: it ends with its process, so what a dead broker left is no obstacle.
 *
 * <p>POSIX drops a process's lock when the process closes <em>any</em> descriptor of the file. So a second attempt in this
 * process is refused from memory, before the file is opened.
 */
final class ProcessLock implements Closeable {
  private static final Set<Path> HELD_HERE = new HashSet<>();

  private final Path key;
  private final FileChannel channel;

  private ProcessLock(Path key, FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  static ProcessLock take(Path file) throws IOException {
    Path key = file.toAbsolutePath().getParent().toRealPath().resolve(file.getFileName());
    synchronized (HELD_HERE) {
      if (!HELD_HERE.add(key)) {
        throw new AlreadyLockedException(file, "pid " + ProcessHandle.current().pid() + " (this process)");
      }
    }
    try {
      return new ProcessLock(key, lockedChannel(file));
    } catch (IOException | RuntimeException e) {
      forget(key);
      throw e;
    }
  }

  private static FileChannel lockedChannel(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw new AlreadyLockedException(file, holder(channel));
      }
      byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
      channel.write(ByteBuffer.wrap(pid), 0);
      channel.truncate(pid.length);
      return channel;
    } catch (OverlappingFileLockException e) { // taken in this process, but not through this class
      channel.close();
      throw new AlreadyLockedException(file, "pid " + ProcessHandle.current().pid() + " (this process)");
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(32);
    channel.read(content, 0);
    String pid = new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII).strip();
    return pid.matches("\\d+") ? "pid " + pid : "another process";
  }

  private static void forget(Path key) {
    synchronized (HELD_HERE) {
      HELD_HERE.remove(key);
    }
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      forget(key);
    }
  }
}
