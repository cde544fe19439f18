package kaka.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the image and the compose file refer to is there; ops/checks/container.sh runs them as far as the machine can. */
class ContainerFilesTest {
  private static final Path DIRECTORY = Path.of("ops/container");

  private static List<String> lines(String file) throws IOException {
    return Files.readAllLines(DIRECTORY.resolve(file));
  }

  private static List<String> instructions(String name) throws IOException {
    return lines("Dockerfile").stream().filter(line -> line.startsWith(name + " ")).toList();
  }

  @Test
  void theImageIsMadeOfWhatItsContextHas() throws IOException {
    List<String> sent = lines("Dockerfile.dockerignore").stream().filter(line -> line.startsWith("!")).map(line -> line.substring(1)).sorted().toList();
    List<String> copied = instructions("COPY").stream().map(line -> line.split(" ")[1]).sorted().toList();

    assertEquals(copied, sent);
    for (String file : copied) {
      assertTrue(file.equals("target/kaka.jar") || Files.exists(Path.of(file)), file);
    }
  }

  @Test
  void itIsNotRootsAndGetsSignals() throws IOException {
    assertEquals(List.of("USER kaka"), instructions("USER"));
    assertEquals(List.of("STOPSIGNAL SIGTERM"), instructions("STOPSIGNAL"));
    for (String name : List.of("ENTRYPOINT", "CMD")) {
      assertTrue(instructions(name).get(0).startsWith(name + " [\""), "no shell in between");
    }
    assertTrue(instructions("HEALTHCHECK").get(0).contains("CMD [\"/usr/bin/kaka\", \"status\"]"));
  }

  @Test
  void whatComposeMountsIsThere() throws IOException {
    List<String> mounts =
        lines("compose.yaml").stream()
            .map(String::strip)
            .filter(line -> line.startsWith("- ./") || line.startsWith("- ../"))
            .map(line -> line.substring(2).split(":")[0])
            .toList();

    assertEquals(5, mounts.size());
    for (String mount : mounts) {
      assertTrue(Files.exists(DIRECTORY.resolve(mount)), mount);
    }
    assertFalse(lines("compose.yaml").stream().anyMatch(line -> line.contains("\t")));
  }

  /** By itself the broker would name the container's own address, which only this machine reaches, if at all. */
  @Test
  void kafkasClientsAreToldWhereThePortIsPublished() throws IOException {
    List<String> compose = lines("compose.yaml").stream().map(String::strip).toList();

    assertTrue(compose.contains("- \"127.0.0.1:9092:9092\""));
    assertTrue(compose.contains("KAKA_KAFKA_ADVERTISED_HOST: 127.0.0.1"));
  }

  /** By short names, so that it is the user's choice where they come from. */
  @Test
  void imagesHaveNoRegistrysHost() throws IOException {
    Pattern image = Pattern.compile("^(FROM|    image:) ([a-z]+/)?[a-z-]+(:[\\w.-]+)?$");
    for (String file : List.of("Dockerfile", "compose.yaml")) {
      List<String> images = lines(file).stream().filter(line -> line.startsWith("FROM ") || line.startsWith("    image:")).toList();
      assertFalse(images.isEmpty());
      images.forEach(line -> assertTrue(image.matcher(line).matches(), line));
    }
  }
}
