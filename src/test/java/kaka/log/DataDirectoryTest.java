package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One broker per directory, and a clear line for whoever cannot have it. */
class DataDirectoryTest {
  @TempDir Path temporary;

  private final Disk disk = new RealDisk();

  @Test
  void aNewDirectoryIsMadeAndKeepsItsId() throws IOException {
    Path path = temporary.resolve("a/b/kaka-data");
    UUID id;
    try (DataDirectory directory = DataDirectory.open(disk, path)) {
      id = directory.brokerId();
      assertEquals(List.of("kaka.lock", "kaka.properties", "kaka.properties.copy"), disk.list(path));
      assertEquals(DirectoryProperties.content(id), Files.readString(path.resolve("kaka.properties")));
      assertEquals(DirectoryProperties.content(id), Files.readString(path.resolve("kaka.properties.copy")));
      assertEquals(ProcessHandle.current().pid() + "\n", Files.readString(path.resolve("kaka.lock")));
    }
    try (DataDirectory directory = DataDirectory.open(disk, path)) {
      assertEquals(id, directory.brokerId());
    }
  }

  /** Twice: POSIX drops a lock when its process closes any descriptor of the file, so the refusal must not open it. */
  @Test
  void asLongAsItIsHeldHereItIsRefusedHere() throws Exception {
    try (DataDirectory directory = DataDirectory.open(disk, temporary)) {
      for (int i = 0; i < 2; i++) {
        AlreadyLockedException e =
            assertThrows(AlreadyLockedException.class, () -> DataDirectory.open(disk, temporary.resolve(".")));
        assertTrue(e.getMessage().contains("pid " + ProcessHandle.current().pid()), e.getMessage());
      }
      assertEquals("refused pid " + ProcessHandle.current().pid(), runElsewhere(temporary));
    }
    DataDirectory.open(disk, temporary).close();
    assertEquals("opened", runElsewhere(temporary));
  }

  @Test
  void theLockFileOfADeadBrokerIsNoObstacle() throws IOException {
    Files.writeString(temporary.resolve("kaka.lock"), "99999999\n");

    try (DataDirectory directory = DataDirectory.open(disk, temporary)) {
      assertEquals(ProcessHandle.current().pid() + "\n", Files.readString(temporary.resolve("kaka.lock")));
    }
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "mine");

    IOException e = assertThrows(IOException.class, () -> DataDirectory.open(disk, file));
    IOException below = assertThrows(IOException.class, () -> DataDirectory.open(disk, file.resolve("data")));

    assertEquals("data directory " + file + " is not a directory", e.getMessage());
    assertTrue(below.getMessage().startsWith("data directory " + file.resolve("data") + " cannot be used: "), below.getMessage());
    assertEquals("mine", Files.readString(file));
  }

  @Test
  void aDiskThatRefusesIsNamedInOneLine() throws IOException {
    for (int n = 1; ; n++) {
      FaultyDisk failing = new FaultyDisk(new MemoryDisk());
      failing.failNth(FaultyDisk.ALL, "", n);
      try {
        DataDirectory.open(failing, Path.of("data")).close();
        assertTrue(n > 5);
        return;
      } catch (IOException e) {
        assertTrue(e.getMessage().startsWith("data directory data cannot be used: "), e.getMessage());
        failing.heal();
        DataDirectory.open(failing, Path.of("data")).close();
      }
    }
  }

  @Test
  void inMemoryTheDirectoryWithoutNameWillDo() throws IOException {
    MemoryDisk memory = new MemoryDisk();
    UUID id;
    try (DataDirectory directory = DataDirectory.open(memory, Path.of(""))) {
      id = directory.brokerId();
      PartitionLog.create(
              memory, directory.path().resolve("orders-0"), id, TestLogs.CONFIG, java.time.Clock.systemUTC())
          .close();
    }
    try (DataDirectory directory = DataDirectory.open(memory, Path.of(""))) {
      assertEquals(id, directory.brokerId());
      assertEquals(List.of("kaka.properties", "kaka.properties.copy", "orders-0"), memory.list(directory.path()));
    }
  }

  /** What another process says to the directory. */
  private static String runElsewhere(Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Elsewhere.class.getName(),
                directory.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said.strip();
  }

  /** The other process. */
  static final class Elsewhere {
    public static void main(String[] arguments) throws IOException {
      try (DataDirectory directory = DataDirectory.open(new RealDisk(), Path.of(arguments[0]))) {
        System.out.println("opened");
      } catch (AlreadyLockedException e) {
        System.out.println("refused " + e.getMessage().replaceAll(".*held by ", ""));
      }
    }
  }
}
