package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/** Another disk, unchanged but for the files that are written. */
public abstract class WrittenFilesDisk extends ForwardingDisk {
  protected WrittenFilesDisk(Disk disk) {
    super(disk);
  }

  /** What stands for {@code file}, which is at {@code path}. */
  protected abstract DiskFile written(Path path, DiskFile file);

  @Override
  public final DiskFile openForWriting(Path file) throws IOException {
    return written(file, super.openForWriting(file));
  }

  @Override
  public final DiskFile create(Path file) throws IOException {
    return written(file, super.create(file));
  }

  @Override
  public final DiskFile createSpare(Path file) throws IOException {
    return written(file, super.createSpare(file));
  }
}
