package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A disk that counts what is asked of it, and fails, delays or damages what a test says. Everything else goes to the disk
 * behind it. Safe from any thread.
 *
 * <pre>{@code
 * FaultyDisk disk = new FaultyDisk(new MemoryDisk());
 * disk.failNext(SYNC, ".log");              // the next sync of a file whose name ends in .log
 * disk.failNth(FaultyDisk.CHANGES, "", 7);  // the seventh change of anything from now on, and none after it
 * try (Gate gate = disk.block(SYNC, ".log")) { ...; gate.awaitEntered(); ...; gate.open(); }
 * assertEquals(1, disk.count(SYNC, ".log"));
 * }</pre>
 */
public final class FaultyDisk extends ForwardingDisk {
  public enum Operation {
    OPEN,
    CREATE,
    READ,
    WRITE,
    TRUNCATE,
    SYNC,
    SIZE,
    CREATE_DIRECTORY,
    LIST,
    EXISTS,
    MOVE,
    LINK,
    DELETE,
    SYNC_DIRECTORY,
    LAST_MODIFIED,
    USABLE_BYTES,
    LOCK
  }

  /** Every operation that an {@link IOException} can end. */
  public static final Set<Operation> ALL = EnumSet.allOf(Operation.class);

  /** What changes the disk or makes a change durable. */
  public static final Set<Operation> CHANGES =
      EnumSet.of(
          Operation.CREATE,
          Operation.WRITE,
          Operation.TRUNCATE,
          Operation.SYNC,
          Operation.CREATE_DIRECTORY,
          Operation.MOVE,
          Operation.LINK,
          Operation.DELETE,
          Operation.SYNC_DIRECTORY);

  private record Call(Operation operation, Path path) {
    boolean is(Set<Operation> operations, String nameSuffix) {
      return operations.contains(operation) && path.toString().endsWith(nameSuffix);
    }
  }

  /** What is to happen at the {@code remaining}-th matching call. */
  private record Fault(
      Set<Operation> operations, String nameSuffix, AtomicInteger remaining, boolean forEver, int partialBytes) {
    static Fault at(int nth, Set<Operation> operations, String nameSuffix, boolean forEver, int partialBytes) {
      return new Fault(operations, nameSuffix, new AtomicInteger(nth), forEver, partialBytes);
    }
  }

  private final Disk disk;
  private final List<Call> calls = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private final List<Gate> gates = new ArrayList<>();
  private long usableBytes = -1;
  private long totalBytes = -1;
  private int failureCount;
  private int openCount;

  public FaultyDisk(Disk disk) {
    super(disk);
    this.disk = disk;
  }

  // What happened

  public synchronized int count(Operation operation) {
    return count(operation, "");
  }

  /** Calls on paths that end in {@code nameSuffix}, since the start or {@link #resetCounts}. */
  public synchronized int count(Operation operation, String nameSuffix) {
    return (int) calls.stream().filter(call -> call.is(EnumSet.of(operation), nameSuffix)).count();
  }

  public synchronized void resetCounts() {
    calls.clear();
  }

  /** How many calls a fault has ended. */
  public synchronized int failureCount() {
    return failureCount;
  }

  /** Files that are open now: what a leak leaves. */
  public synchronized int openCount() {
    return openCount;
  }

  /** The calls since the start or {@link #resetCounts}, looks at what exists left out, as {@code SYNC 00000000000000000000.log}. */
  public synchronized List<String> calls() {
    return calls.stream()
        .filter(call -> call.operation() != Operation.EXISTS)
        .map(call -> call.operation() + " " + call.path().getFileName())
        .toList();
  }

  // What shall happen

  /** The next such call fails. */
  public void failNext(Operation operation, String nameSuffix) {
    failNth(EnumSet.of(operation), nameSuffix, 1);
  }

  /** The {@code nth} such call from now on fails, counted from 1; those before and after it do not. */
  public synchronized void failNth(Set<Operation> operations, String nameSuffix, int nth) {
    faults.add(Fault.at(nth, operations, nameSuffix, false, 0));
  }

  /** From the {@code nth} such call on, every one fails: as if the process or the disk had died. */
  public synchronized void failFrom(Set<Operation> operations, String nameSuffix, int nth) {
    faults.add(Fault.at(nth, operations, nameSuffix, true, 0));
  }

  /** The next such write leaves {@code sizeBytes} of its bytes, then fails. */
  public synchronized void failNextWriteAfter(String nameSuffix, int sizeBytes) {
    faults.add(Fault.at(1, EnumSet.of(Operation.WRITE), nameSuffix, false, sizeBytes));
  }

  /** No more faults; gates stay. */
  public synchronized void heal() {
    faults.clear();
  }

  /** What {@link #totalBytes} says from now on; -1 asks the disk behind. */
  public synchronized void setTotalBytes(long totalBytes) {
    this.totalBytes = totalBytes;
  }

  /** What {@link #usableBytes} says from now on; -1 asks the disk behind. */
  public synchronized void setUsableBytes(long usableBytes) {
    this.usableBytes = usableBytes;
  }

  /** The next such call waits until the gate is opened. */
  public synchronized Gate block(Operation operation, String nameSuffix) {
    Gate gate = new Gate(EnumSet.of(operation), nameSuffix);
    gates.add(gate);
    return gate;
  }

  /** Holds up one call; closing it opens it. */
  public static final class Gate implements AutoCloseable {
    private final Set<Operation> operations;
    private final String nameSuffix;
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    private Gate(Set<Operation> operations, String nameSuffix) {
      this.operations = operations;
      this.nameSuffix = nameSuffix;
    }

    /** Returns when a call waits here. */
    public void awaitEntered() throws InterruptedException {
      entered.await();
    }

    public void open() {
      opened.countDown();
    }

    @Override
    public void close() {
      open();
    }

    private void pass() throws IOException {
      entered.countDown();
      try {
        opened.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted at a test's gate", e);
      }
    }
  }

  /** Drops the end of a file, past all faults and counts. */
  public void cut(Path file, long sizeBytes) throws IOException {
    try (DiskFile open = disk.openForWriting(file)) {
      open.truncate(sizeBytes);
    }
  }

  /** Of a file, past all faults and counts. */
  public long sizeBytes(Path file) throws IOException {
    try (DiskFile open = disk.openForReading(file)) {
      return open.sizeBytes();
    }
  }

  /** Turns one bit of a file, counted from its first byte's lowest. */
  public void flipBit(Path file, long bit) throws IOException {
    try (DiskFile open = disk.openForWriting(file)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      open.read(one, bit / 8);
      one.put(0, (byte) (one.get(0) ^ 1 << bit % 8));
      open.write(one.flip(), bit / 8);
    }
  }

  // The disk

  /** Counts a call, lets it wait at a gate and ends it if a fault is due; returns how much of a write to leave. */
  private void enter(Operation operation, Path path) throws IOException {
    Fault due = due(operation, path);
    if (due != null) {
      throw new IOException("fault injected: " + operation + " " + path);
    }
  }

  private Fault due(Operation operation, Path path) throws IOException {
    Gate waiting = null;
    Fault due = null;
    synchronized (this) {
      Call call = new Call(operation, path);
      calls.add(call);
      for (Gate gate : gates) {
        if (call.is(gate.operations, gate.nameSuffix)) {
          waiting = gate;
        }
      }
      gates.remove(waiting);
      for (Fault fault : List.copyOf(faults)) {
        if (call.is(fault.operations, fault.nameSuffix) && fault.remaining.decrementAndGet() <= 0) {
          due = fault;
          if (!fault.forEver) {
            faults.remove(fault);
          }
        }
      }
      failureCount += due == null ? 0 : 1;
    }
    if (waiting != null) {
      waiting.pass();
    }
    return due;
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    enter(Operation.OPEN, file);
    return new FaultyFile(file, disk.openForReading(file));
  }

  @Override
  public DiskFile openForWriting(Path file) throws IOException {
    enter(Operation.OPEN, file);
    return new FaultyFile(file, disk.openForWriting(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    enter(Operation.CREATE, file);
    return new FaultyFile(file, disk.create(file));
  }

  @Override
  public DiskFile createSpare(Path file) throws IOException {
    return create(file);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    enter(Operation.CREATE_DIRECTORY, directory);
    disk.createDirectory(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    enter(Operation.LIST, directory);
    return disk.list(directory);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    enter(Operation.EXISTS, path);
    return disk.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) throws IOException {
    enter(Operation.EXISTS, path);
    return disk.isDirectory(path);
  }

  @Override
  public boolean isFile(Path path) throws IOException {
    enter(Operation.EXISTS, path);
    return disk.isFile(path);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    enter(Operation.MOVE, from);
    disk.move(from, to);
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    enter(Operation.LINK, link);
    disk.link(existing, link);
  }

  @Override
  public void delete(Path path) throws IOException {
    enter(Operation.DELETE, path);
    disk.delete(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    enter(Operation.SYNC_DIRECTORY, directory);
    disk.syncDirectory(directory);
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    enter(Operation.LAST_MODIFIED, file);
    return disk.lastModifiedMs(file);
  }

  @Override
  public void setLastModifiedMs(Path file, long lastModifiedMs) throws IOException {
    enter(Operation.LAST_MODIFIED, file);
    disk.setLastModifiedMs(file, lastModifiedMs);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    enter(Operation.USABLE_BYTES, directory);
    synchronized (this) {
      return usableBytes >= 0 ? usableBytes : disk.usableBytes(directory);
    }
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    synchronized (this) {
      return totalBytes >= 0 ? totalBytes : disk.totalBytes(directory);
    }
  }

  @Override
  public Closeable lock(Path file) throws IOException {
    enter(Operation.LOCK, file);
    return disk.lock(file);
  }

  private final class FaultyFile implements DiskFile {
    private final Path path;
    private final DiskFile file;
    private boolean closed;

    FaultyFile(Path path, DiskFile file) {
      this.path = path;
      this.file = file;
      synchronized (FaultyDisk.this) {
        openCount++;
      }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      enter(Operation.READ, path);
      return file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      Fault due = due(Operation.WRITE, path);
      if (due == null) {
        file.write(source, position);
        return;
      }
      ByteBuffer part = source.duplicate();
      part.limit(part.position() + Math.min(part.remaining(), due.partialBytes));
      if (part.hasRemaining()) {
        file.write(part, position);
      }
      throw new IOException("fault injected: WRITE " + path + " after " + due.partialBytes + " bytes");
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      enter(Operation.TRUNCATE, path);
      file.truncate(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      enter(Operation.SYNC, path);
      file.sync();
    }

    @Override
    public long sizeBytes() throws IOException {
      enter(Operation.SIZE, path);
      return file.sizeBytes();
    }

    @Override
    public void close() throws IOException {
      synchronized (FaultyDisk.this) {
        openCount -= closed ? 0 : 1;
        closed = true;
      }
      file.close();
    }
  }
}
