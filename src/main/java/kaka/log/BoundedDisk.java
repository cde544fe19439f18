package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A disk of which only so many files are open at a time (see {@link DescriptorBudget}): it refuses before the system would,
 * and whom it refuses is decided here, not by chance.
 */
public final class BoundedDisk extends ForwardingDisk {
  private final DescriptorBudget descriptors;

  public BoundedDisk(Disk disk, DescriptorBudget descriptors) {
    super(disk);
    this.descriptors = descriptors;
  }

  @FunctionalInterface
  private interface Opening {
    DiskFile open() throws IOException;
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return counted(descriptors.tryTakeSpare(), file, () -> super.openForReading(file));
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    return counted(descriptors.tryTakeSpare(), file, () -> super.openForWriting(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return counted(descriptors.tryTake(), file, () -> super.create(file));
  }

  @Override
  public DiskFile createSpare(Path file) throws IOException {
    return counted(descriptors.tryTakeSpare(), file, () -> super.createSpare(file));
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

  private static final class CountedFile extends ForwardingFile {
    private final DescriptorBudget descriptors;
    private final AtomicBoolean closed = new AtomicBoolean();

    CountedFile(DiskFile file, DescriptorBudget descriptors) {
      super(file);
      this.descriptors = descriptors;
    }

    @Override
    public void close() throws IOException {
      if (!closed.getAndSet(true)) {
        try {
          super.close();
        } finally {
          descriptors.release();
        }
      }
    }
  }
}
