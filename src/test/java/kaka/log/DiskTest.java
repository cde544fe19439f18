package kaka.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every disk does alike: the file system, memory, and the one that loses power. */
class DiskTest {
  enum Kind {
    REAL,
    MEMORY,
    CRASHING,
    FAULTY
  }

  @TempDir Path temporary;

  private Path root;

  private Disk disk(Kind kind) throws IOException {
    root = kind == Kind.REAL ? temporary : Path.of("root");
    Disk disk =
        switch (kind) {
          case REAL -> new RealDisk();
          case MEMORY -> new MemoryDisk();
          case CRASHING -> new CrashingDisk();
          case FAULTY -> new FaultyDisk(new MemoryDisk());
        };
    if (!disk.exists(root)) {
      disk.createDirectory(root);
    }
    return disk;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void filesAreWrittenReadCutAndReplaced(Kind kind) throws IOException {
    Disk disk = disk(kind);
    Path file = root.resolve("file");
    assertThrows(NoSuchFileException.class, () -> disk.openForReading(file));
    assertThrows(NoSuchFileException.class, () -> disk.openForWriting(file));
    try (DiskFile open = disk.create(file)) {
      assertEquals(0, open.sizeBytes());
      open.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}), 0);
      open.write(ByteBuffer.wrap(new byte[] {9, 9}), 1);
      open.sync();
    }
    disk.syncDirectory(root);
    assertThrows(FileAlreadyExistsException.class, () -> disk.create(file));
    try (DiskFile open = disk.openForReading(file)) {
      ByteBuffer target = ByteBuffer.allocate(10).position(1).limit(9);
      assertEquals(4, open.read(target, 1));
      assertEquals(5, target.position());
      assertEquals(0, open.read(target, 5));
      assertEquals(0, open.read(target, 50));
      assertArrayEquals(new byte[] {0, 9, 9, 4, 5, 0, 0, 0, 0, 0}, target.array());
    }
    try (DiskFile open = disk.openForWriting(file)) {
      open.truncate(2);
      assertEquals(2, open.sizeBytes());
      open.write(ByteBuffer.wrap(new byte[] {7}), 2);
    }
    assertArrayEquals(new byte[] {1, 9, 7}, TestLogs.content(disk, file));
    disk.create(root.resolve("other")).close();
    disk.move(file, root.resolve("other"));
    assertArrayEquals(new byte[] {1, 9, 7}, TestLogs.content(disk, root.resolve("other")));
    assertEquals(List.of("other"), disk.list(root));
    assertTrue(Math.abs(disk.lastModifiedMs(root.resolve("other")) - System.currentTimeMillis()) < 60_000);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void directoriesAreListedMovedAndDeleted(Kind kind) throws IOException {
    Disk disk = disk(kind);
    Path directory = root.resolve("b");
    disk.createDirectory(directory);
    disk.create(directory.resolve("z")).close();
    disk.create(directory.resolve("a")).close();
    disk.create(root.resolve("bb")).close();

    assertEquals(List.of("b", "bb"), disk.list(root));
    assertEquals(List.of("a", "z"), disk.list(directory));
    assertTrue(disk.isDirectory(directory));
    assertFalse(disk.isDirectory(root.resolve("bb")));
    assertThrows(FileAlreadyExistsException.class, () -> disk.createDirectory(directory));
    assertThrows(IOException.class, () -> disk.list(root.resolve("none")));
    assertThrows(IOException.class, () -> disk.create(root.resolve("none/file")));
    assertThrows(DirectoryNotEmptyException.class, () -> disk.delete(directory));
    disk.move(directory, root.resolve("c"));
    assertEquals(List.of("bb", "c"), disk.list(root));
    assertEquals(List.of("a", "z"), disk.list(root.resolve("c")));
    disk.delete(root.resolve("c/a"));
    disk.delete(root.resolve("c/z"));
    disk.delete(root.resolve("c"));
    assertThrows(NoSuchFileException.class, () -> disk.delete(root.resolve("c")));
    assertThrows(NoSuchFileException.class, () -> disk.move(root.resolve("c"), root.resolve("d")));
    assertEquals(List.of("bb"), disk.list(root));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anUnlinkedFileIsReadOnByWhoHasItOpen(Kind kind) throws IOException {
    Disk disk = disk(kind);
    Path file = root.resolve("file");
    try (DiskFile open = disk.create(file)) {
      open.write(ByteBuffer.wrap(new byte[] {42}), 0);
      disk.delete(file);
      disk.create(file).close();

      ByteBuffer target = ByteBuffer.allocate(1);
      assertEquals(1, open.read(target, 0));
      assertEquals(42, target.get(0));
    }
  }

  /** Against an array: sizes around the chunks of memory, and writes in place. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void randomWritesAndCutsReadBack(Kind kind) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    Disk disk = disk(kind);
    byte[] model = new byte[0];
    try (DiskFile file = disk.create(root.resolve("file"))) {
      for (int i = 0; i < 200; i++) {
        if (random.nextInt(10) == 0) {
          model = Arrays.copyOf(model, random.nextInt(model.length + 1));
          file.truncate(model.length);
        } else {
          byte[] bytes = new byte[random.nextInt(random.nextInt(5) == 0 ? 150_000 : 500)];
          random.nextBytes(bytes);
          int at = random.nextInt(3) == 0 ? random.nextInt(model.length + 1) : model.length;
          file.write(random.nextBoolean() ? ByteBuffer.wrap(bytes) : ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), at);
          model = Arrays.copyOf(model, Math.max(model.length, at + bytes.length));
          System.arraycopy(bytes, 0, model, at, bytes.length);
        }
        int from = random.nextInt(model.length + 1);
        byte[] part = new byte[random.nextInt(2000)];
        int expected = Math.min(part.length, model.length - from);
        assertEquals(expected, file.read(ByteBuffer.wrap(part), from), "seed " + seed);
        assertArrayEquals(
            Arrays.copyOfRange(model, from, from + expected), Arrays.copyOf(part, expected), "seed " + seed);
      }
    }
    assertArrayEquals(model, TestLogs.content(disk, root.resolve("file")), "seed " + seed);
  }

  @ParameterizedTest
  @EnumSource(value = Kind.class, names = {"REAL", "MEMORY"})
  void aFileOpenedForReadingIsNotWritten(Kind kind) throws IOException {
    Disk disk = disk(kind);
    disk.create(root.resolve("file")).close();
    try (DiskFile file = disk.openForReading(root.resolve("file"))) {
      assertThrows(NonWritableChannelException.class, () -> file.write(ByteBuffer.allocate(1), 0));
      assertThrows(NonWritableChannelException.class, () -> file.truncate(0));
    }
  }

  /** The log over the real file system: the same life as in memory. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLogLivesOnIt(Kind kind) throws IOException {
    Disk disk = disk(kind);
    Path directory = root.resolve("orders-0");
    List<String> values = Stream.iterate(0, i -> i + 1).limit(60).map(i -> TestLogs.text(i, 200)).toList();
    try (PartitionLog log =
        PartitionLog.create(disk, directory, TestLogs.TOPIC_ID, TestLogs.CONFIG, Clock.systemUTC())) {
      for (String value : values) {
        log.append(TestLogs.batch(value));
        log.flush();
      }
    }
    try (PartitionLog log =
        PartitionLog.open(disk, directory, TestLogs.TOPIC_ID, TestLogs.CONFIG, Clock.systemUTC())) {
      assertEquals(values, TestLogs.values(log.snapshot()));
      assertEquals(0, log.recovery().rebuiltIndexCount());
      assertTrue(disk.usableBytes(directory) > 0);
      assertTrue(disk.totalBytes(directory) >= disk.usableBytes(directory));
    }
    PartitionDirectory.delete(disk, directory, TestLogs.TOPIC_ID);
    assertEquals(List.of(), disk.list(root));
  }

  /** A directory that fails while it is read fails as every other operation does. */
  @Test
  void aListingThatBreaksOffIsAnIOException() {
    IOException cause = new IOException("Input/output error");
    Stream<Path> breaking =
        Stream.of(Path.of("a"), Path.of("b"))
            .peek(
                path -> {
                  if (path.endsWith("b")) {
                    throw new UncheckedIOException(cause);
                  }
                });

    assertSame(cause, assertThrows(IOException.class, () -> RealDisk.namesOf(breaking)));
  }

  /** What cannot be looked at is not missing: a recovery point taken for missing would be written anew. */
  @Test
  void whatCannotBeLookedAtIsNotTakenForMissing() throws IOException {
    RealDisk disk = new RealDisk();
    Path loop = temporary.resolve("loop"); // an error that even root gets
    Files.createSymbolicLink(loop, loop);

    assertThrows(IOException.class, () -> disk.exists(loop));
    assertThrows(IOException.class, () -> disk.isDirectory(loop));
    assertThrows(IOException.class, () -> disk.exists(loop.resolve("below")));
    assertThrows(IOException.class, () -> disk.exists(temporary.resolve("x".repeat(300))));
  }

  @Test
  void nothingIsBelowAFile() throws IOException {
    RealDisk disk = new RealDisk();
    Path file = temporary.resolve("file");
    disk.create(file).close();

    assertFalse(disk.exists(file.resolve("below")));
    assertFalse(disk.exists(file.resolve("below").resolve("it")));
    assertFalse(disk.isDirectory(file.resolve("below")));
  }

  /** Whatever cannot be looked at when a log opens, none of it passes for missing. */
  @Test
  void anOpenFailsWhereItCannotSeeWhatIsThere() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(TestLogs.batch("a"));
    }
    disk.resetCounts();
    TestLogs.open(disk).close();
    int count = disk.count(FaultyDisk.Operation.EXISTS);
    assertTrue(count > 3);
    for (int n = 1; n <= count; n++) {
      disk.failNth(Set.of(FaultyDisk.Operation.EXISTS), "", n);
      try (PartitionLog log = TestLogs.open(disk)) {
        assertEquals(List.of("a"), TestLogs.values(log.snapshot()), "call " + n);
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("fault injected"), e.getMessage());
      }
      disk.heal();
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(List.of("a"), TestLogs.values(log.snapshot()));
    }
  }

  @Test
  void memoryDiskCountsDownFromItsCapacity() throws IOException {
    MemoryDisk disk = new MemoryDisk(Clock.systemUTC(), 1000);
    try (DiskFile file = disk.create(Path.of("f"))) {
      file.write(ByteBuffer.allocate(400), 0);
      assertEquals(600, disk.usableBytes(Path.of("")));
      assertEquals(1000, disk.totalBytes(Path.of("")));
      file.write(ByteBuffer.allocate(700), 400);
      assertEquals(0, disk.usableBytes(Path.of("")));
    }
    disk.delete(Path.of("f"));
    assertEquals(1000, disk.usableBytes(Path.of("")));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void linkIsASecondNameOfTheSameFile(Kind kind) throws IOException {
    Disk disk = disk(kind);
    Path first = root.resolve("first");
    Path second = root.resolve("second");
    try (DiskFile file = disk.create(first)) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
    }

    disk.link(first, second);
    disk.delete(first);

    assertArrayEquals(new byte[] {1, 2, 3}, TestLogs.content(disk, second));
    assertThrows(NoSuchFileException.class, () -> disk.link(first, root.resolve("third")));
    disk.create(first).close();
    assertThrows(FileAlreadyExistsException.class, () -> disk.link(first, second));
  }
}
