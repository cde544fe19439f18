package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Either of the two files is enough; what they say is never guessed. */
class DirectoryPropertiesTest {
  @TempDir Path temporary;

  private final Disk disk = new RealDisk();
  private UUID id;
  private String intact;

  @BeforeEach
  void make() throws IOException {
    try (DataDirectory directory = DataDirectory.open(disk, temporary)) {
      id = directory.brokerId();
    }
    intact = DirectoryProperties.content(id);
  }

  private Path file(String name) {
    return temporary.resolve(name);
  }

  private void requireWhole() throws IOException {
    try (DataDirectory directory = DataDirectory.open(disk, temporary)) {
      assertEquals(id, directory.brokerId());
    }
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      assertEquals(intact, Files.readString(file(name)), name);
    }
    assertEquals(List.of(), DataDirectory.findings(disk, temporary));
  }

  @Test
  void everyFlippedBitOfEitherIsSeenAndRepairedFromTheOther() throws IOException {
    byte[] bytes = intact.getBytes(StandardCharsets.UTF_8);
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      for (int bit = 0; bit < bytes.length * 8; bit++) {
        byte[] damaged = bytes.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        Files.write(file(name), damaged);

        List<Finding> findings = DataDirectory.findings(disk, temporary);

        assertEquals(1, findings.size(), name + " bit " + bit);
        assertEquals(file(name), findings.get(0).file());
        assertTrue(findings.get(0).isWrong(), findings.toString());
        requireWhole();
      }
    }
  }

  @Test
  void zerosGarbageAnEmptyFileAndNoneAreRepairedFromTheOther() throws IOException {
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      for (byte[] content : List.of(new byte[intact.length()], new byte[0], new byte[100_000], "#!/bin/sh\n".getBytes())) {
        Files.write(file(name), content);
        requireWhole();
      }
      Files.delete(file(name));
      assertEquals(1, DataDirectory.findings(disk, temporary).size());
      requireWhole();
    }
  }

  @Test
  void aSectorThatCannotBeReadIsRepairedFromTheOther() throws IOException {
    for (int n = 1; n <= 2; n++) {
      FaultyDisk failing = new FaultyDisk(new MemoryDisk());
      UUID made;
      try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
        made = directory.brokerId();
      }
      String name = n == 1 ? "kaka.properties" : "kaka.properties.copy";
      failing.failFrom(java.util.EnumSet.of(FaultyDisk.Operation.READ), name, 1);

      try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
        assertEquals(made, directory.brokerId());
      }
    }
  }

  /** A disk that takes nothing more does not stop a start that knows all it must. */
  @Test
  void aRepairThatFailsIsTriedAgainAtTheNextStart() throws IOException {
    FaultyDisk failing = new FaultyDisk(new MemoryDisk());
    UUID made;
    try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
      made = directory.brokerId();
    }
    failing.delete(Path.of("data/kaka.properties"));
    failing.failFrom(java.util.EnumSet.of(FaultyDisk.Operation.CREATE), "", 1);

    try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
      assertEquals(made, directory.brokerId());
    }

    assertFalse(failing.exists(Path.of("data/kaka.properties")));
    failing.heal();
    DataDirectory.open(failing, Path.of("data")).close();
    assertTrue(failing.exists(Path.of("data/kaka.properties")));
  }

  /** Whatever call of a creation is the last: the id that was durable first stays. */
  @Test
  void aCreationThatIsCutShortIsFinished() throws IOException {
    for (int n = 1; ; n++) {
      FaultyDisk failing = new FaultyDisk(new MemoryDisk());
      failing.failFrom(FaultyDisk.CHANGES, "", n);
      UUID first = null;
      boolean isDone = true;
      try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
        first = directory.brokerId();
      } catch (IOException e) {
        isDone = false;
      }
      failing.heal();
      if (failing.exists(Path.of("data/kaka.properties"))) {
        String text = WholeFile.read(failing, Path.of("data/kaka.properties"));
        first = UUID.fromString(text.replaceAll("(?s).*broker.id=(\\S+).*", "$1"));
      }
      try (DataDirectory directory = DataDirectory.open(failing, Path.of("data"))) {
        assertTrue(first == null || first.equals(directory.brokerId()), "call " + n);
        assertEquals(List.of(), DataDirectory.findings(failing, Path.of("data")));
      }
      if (isDone) {
        assertTrue(n > 8, "only " + n);
        return;
      }
    }
  }

  @Test
  void bothDamagedIsRefusedAndTheAdviceRepairsIt() throws Exception {
    for (String copy : new String[] {"damaged", null}) {
      Files.writeString(file("kaka.properties"), "format.version=x\nbroker.id=y\n");
      Files.deleteIfExists(file("kaka.properties.copy"));
      if (copy != null) {
        Files.writeString(file("kaka.properties.copy"), copy);
      }

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> DataDirectory.open(disk, temporary));

      assertTrue(e.getMessage().startsWith(file("kaka.properties") + " is damaged at byte 0: "), e.getMessage());
      assertFalse(e.getMessage().contains("\n"), "one line");
      assertEquals("format.version=x\nbroker.id=y\n", Files.readString(file("kaka.properties")));
      assertTrue(DataDirectory.findings(disk, temporary).get(0).isWrong());
      String command = e.advice().replaceAll(".*`(printf .*)`.*", "$1");
      assertEquals(0, new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor(), command);
      try (DataDirectory directory = DataDirectory.open(disk, temporary)) {
        id = directory.brokerId();
        intact = DirectoryProperties.content(id);
      }
      requireWhole();
    }
  }

  /** As an older kaka, or a person, wrote it. */
  @Test
  void aFileWithoutChecksumIsBelievedAndGetsOneAndACopy() throws IOException {
    for (String text : List.of("format.version=1\nbroker.id=" + id + "\n", "format.version = 1\r\n\r\nbroker.id = " + id)) {
      Files.delete(file("kaka.properties.copy"));
      Files.writeString(file("kaka.properties"), text);
      List<Finding> findings = DataDirectory.findings(disk, temporary);
      assertTrue(findings.stream().noneMatch(Finding::isWrong), findings.toString());
      requireWhole();
    }
  }

  @Test
  void twoBrokersIdsAreRefused() throws IOException {
    UUID other = UUID.randomUUID();
    for (String text : List.of(DirectoryProperties.content(other), "format.version=1\nbroker.id=" + other + "\n")) {
      Files.writeString(file("kaka.properties"), text);

      IOException e = assertThrows(IOException.class, () -> DataDirectory.open(disk, temporary));

      assertTrue(e.getMessage().contains(other.toString()) && e.getMessage().contains(id.toString()), e.getMessage());
      assertTrue(e.getMessage().endsWith("delete the one that does not belong to this directory"), e.getMessage());
      assertEquals(text, Files.readString(file("kaka.properties")));
      assertEquals(intact, Files.readString(file("kaka.properties.copy")));
    }
  }

  @Test
  void aNewerFormatInEitherIsRefusedAndNotTouched() throws IOException {
    Files.delete(file("kaka.lock"));
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      String content = "format.version=2\nbroker.id=" + id + "\nshards=7\n";
      Files.writeString(file(name), content);

      IOException e = assertThrows(IOException.class, () -> DataDirectory.open(disk, temporary));

      assertEquals(
          file(name) + " has format.version=2, this kaka knows up to 1: use a newer one", e.getMessage());
      assertEquals(content, Files.readString(file(name)));
      assertFalse(Files.exists(file("kaka.lock")), "not even the lock is made");
      Files.writeString(file(name), intact);
    }
    requireWhole();
  }
}
