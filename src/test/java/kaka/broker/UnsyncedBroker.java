package kaka.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.config.ConfigSources;
import kaka.config.KakaConfig;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.ForwardingDisk;
import kaka.log.RealDisk;
import kaka.log.WrittenFilesDisk;

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

  private static final class UnsyncedDisk extends WrittenFilesDisk {
    UnsyncedDisk(Disk disk) {
      super(disk);
    }

    @Override
    protected DiskFile written(Path path, DiskFile file) {
      return new UnsyncedFile(file);
    }

    @Override
    public void syncDirectory(Path directory) {}
  }

  private static final class UnsyncedFile extends ForwardingDisk.ForwardingFile {
    UnsyncedFile(DiskFile file) {
      super(file);
    }

    @Override
    public void sync() {}
  }
}
