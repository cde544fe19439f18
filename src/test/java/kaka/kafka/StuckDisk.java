package kaka.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.WrittenFilesDisk;

/** A disk on which no sync of one directory's files returns from when a test says so until it says otherwise. */
final class StuckDisk extends WrittenFilesDisk {
  private final String directory;
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final CountDownLatch arrived = new CountDownLatch(1);
  private volatile boolean isStuck;

  StuckDisk(Disk behind, String directory) {
    super(behind);
    this.directory = directory;
  }

  void stick() {
    isStuck = true;
  }

  /** Returns when a sync has come, and does not return. */
  void awaitStuck() throws InterruptedException {
    arrived.await();
  }

  void letGo() {
    isStuck = false;
    letGo.countDown();
  }

  @Override
  protected DiskFile written(Path path, DiskFile file) {
    if (!path.getParent().getFileName().toString().equals(directory)) {
      return file;
    }
    return new ForwardingFile(file) {
      @Override
      public void sync() throws IOException {
        if (isStuck) {
          arrived.countDown();
          try {
            letGo.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        }
        super.sync();
      }
    };
  }
}
