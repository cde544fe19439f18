package kaka.broker;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.config.ConfigSources;
import kaka.config.KakaConfig;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.RealDisk;

/**
 * A broker on a disk that is never synced, for {@code ops/checks/powercut.sh} to show that it can see a loss. Arguments:
 * {@code serve --port N --dir DIRECTORY}.
 */
public final class UnsyncedBroker {
  private UnsyncedBroker() {}

  public static void main(String[] args) throws Exception {
    List<ConfigSources.Flag> flags = new ArrayList<>();
    for (int i = 1; i < args.length; i += 2) {
      String key = args[i].equals("--port") ? "kaka.listen.port" : "kaka.log.dir";
      flags.add(new ConfigSources.Flag(args[i], key, args[i + 1]));
    }
    KakaConfig config = KakaConfig.load(ConfigSources.ofProcess(Optional.empty(), flags));
    Broker broker = Broker.start(config, new UnsyncedDisk(new RealDisk()));
    System.out.printf(
        "kaka ready listen=127.0.0.1:%d dir=%s durability=none%n", broker.address().getPort(), config.dir());
    broker.whenTerminated().toCompletableFuture().join();
  }

  private record UnsyncedDisk(RealDisk disk) implements Disk {
    @Override
    public DiskFile openForReading(Path file) throws IOException {
      return disk.openForReading(file);
    }

    @Override
    public DiskFile openForWriting(Path file) throws IOException {
      return new UnsyncedFile(disk.openForWriting(file));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      return new UnsyncedFile(disk.create(file));
    }

    @Override
    public void syncDirectory(Path directory) {}

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

  private record UnsyncedFile(DiskFile file) implements DiskFile {
    @Override
    public void sync() {}

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
    public long sizeBytes() throws IOException {
      return file.sizeBytes();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
