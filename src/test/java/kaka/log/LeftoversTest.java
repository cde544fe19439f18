package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is missing of a log that no start complains about, and what kills leave in it: a check says so, and the next start mends it. */
class LeftoversTest {
  private final MemoryDisk disk = new MemoryDisk();

  /** Some segments without transactions, then some with them. */
  @BeforeEach
  void severalSegments() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 20; i++) {
        log.append(TestLogs.batch(text(i, 100)));
        log.flush();
      }
      for (int i = 0; i < 30; i++) {
        log.append(TransactionLogs.transactional(2, 0, i, text(i, 100)));
        if (i % 5 == 4) {
          log.append(TransactionLogs.abort(2, 0));
        }
        log.flush();
      }
    }
  }

  private List<Finding> check() throws IOException {
    return PartitionCheck.run(disk, DIRECTORY, Optional.of(TestLogs.TOPIC_ID), bytes -> {}).findings();
  }

  private List<String> names(String suffix) throws IOException {
    return disk.list(DIRECTORY).stream().filter(name -> name.endsWith(suffix)).toList();
  }

  /** Also the first one, which no other's being there speaks for, and all of them. */
  @Test
  void missingIndexOfAbortedTransactionsIsTold() throws IOException {
    assertEquals(List.of(), check());
    List<String> indexes = names(".txnindex");
    assertTrue(indexes.size() > 3 && indexes.size() < names(".log").size() - 3, indexes.toString());
    List<List<String>> cases = new ArrayList<>(List.of(indexes));
    indexes.forEach(name -> cases.add(List.of(name)));

    for (List<String> missing : cases) {
      for (String name : missing) {
        disk.delete(file(name));
      }

      List<Finding> findings = check();

      assertEquals(missing.stream().map(TestLogs::file).toList(), findings.stream().map(Finding::file).toList());
      assertTrue(findings.stream().allMatch(finding -> finding.level() == Finding.Level.FAULT && !finding.advice().isEmpty()));
      TestLogs.open(disk).close();
      assertEquals(List.of(), check(), "the start has made it anew");
    }
  }

  @Test
  void filesThatWereBeingWrittenAreToldAndDeletedByTheNextStart() throws IOException {
    Set<Path> left = new TreeSet<>();
    for (String name : disk.list(DIRECTORY)) {
      Path temporary = file(name + ".tmp");
      TestLogs.setContent(disk, temporary, new byte[] {1, 2, 3});
      left.add(temporary);
    }
    Path foreign = file("notes.tmp");
    TestLogs.setContent(disk, foreign, new byte[] {1});

    List<Finding> findings = check();

    assertFalse(findings.stream().anyMatch(Finding::isWrong), findings.toString());
    Set<Path> told = new TreeSet<>();
    findings.stream().filter(finding -> finding.what().contains("the next start deletes it")).forEach(finding -> told.add(finding.file()));
    assertEquals(left, told);
    assertEquals(left.size() + 1, findings.size());

    TestLogs.open(disk).close();

    assertEquals(List.of("notes.tmp"), names(".tmp"), "what is not the log's is left alone");
  }

  @Test
  void filesOfTheDirectoryThatWereBeingWrittenAreToldAndDeletedByTheNextStart() throws IOException {
    Path data = Path.of("data");
    DataDirectory.open(disk, data).close();
    ProducerIds.open(disk, data).next();
    assertEquals(List.of(), DataDirectory.findings(disk, data));
    List<Path> left = new ArrayList<>();
    for (String name : List.of("kaka.properties", "kaka.properties.copy", "producer-ids")) {
      assertTrue(disk.exists(data.resolve(name)));
      left.add(data.resolve(name + ".tmp"));
      TestLogs.setContent(disk, data.resolve(name + ".tmp"), new byte[] {1});
    }
    TestLogs.setContent(disk, data.resolve("notes.tmp"), new byte[] {1});

    List<Finding> findings = DataDirectory.findings(disk, data);

    assertEquals(left, findings.stream().map(Finding::file).toList());
    assertFalse(findings.stream().anyMatch(Finding::isWrong));

    DataDirectory.open(disk, data).close();

    assertEquals(List.of("notes.tmp"), disk.list(data).stream().filter(name -> name.endsWith(".tmp")).toList());
  }
}
