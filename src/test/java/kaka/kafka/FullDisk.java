package kaka.kafka;

import java.nio.file.Path;
import kaka.log.Disk;
import kaka.log.ForwardingDisk;

/** A disk that says it is full when a test says so. */
final class FullDisk extends ForwardingDisk {
  private volatile boolean isFull;

  FullDisk(Disk behind) {
    super(behind);
  }

  void fill(boolean full) {
    isFull = full;
  }

  @Override
  public long usableBytes(Path path) throws java.io.IOException {
    return isFull ? 0 : super.usableBytes(path);
  }
}
