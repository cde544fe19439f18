package kaka.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code kaka.properties} and its copy, {@code kaka.properties.copy}: in which format a data directory is, and which broker's.
 *
 * <pre>
 * format.version=1
 * broker.id=6b0f...
 * crc32c=1c291ca3           of the lines above, hexadecimal
 * </pre>
 *
 * <p>Without the crc32c line the file is one that was written by hand, or before there was that line: it is believed, and the
 * start writes it anew. Whatever else differs from these lines by a byte is damaged. What the two together come to:
 *
 * <pre>
 * one says a newer format     refused, whatever the other says
 * both name the same broker   that one
 * they name two               refused: an operator knows which directory this is
 * one names a broker          that one; the other, damaged or missing, is written anew from it
 * none, one is damaged        refused: the format is not known
 * both are missing            a new directory
 * </pre>
 */
final class DirectoryProperties {
  static final String FILE = "kaka.properties";
  static final String COPY = "kaka.properties.copy";

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryProperties.class);
  private static final int FORMAT_VERSION = 1;

  private static final Pattern CHECKED = Pattern.compile("(?s)(.*\n)crc32c=([0-9a-f]{8})\n");
  private static final Pattern VERSION = Pattern.compile("(?m)^\\s*format\\.version\\s*=\\s*(\\d{1,9})\\s*$");
  private static final Pattern LINES =
      Pattern.compile(
          "\\s*format\\.version\\s*=\\s*" + FORMAT_VERSION
              + "\\s+broker\\.id\\s*=\\s*(\\p{XDigit}{8}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{12})\\s*");

  private final Path path;
  private final boolean isMissing;
  private final boolean isIntact; // with its checksum
  private final Optional<UUID> brokerId; // empty if missing or damaged
  private final String problem; // empty unless damaged

  private DirectoryProperties(Path path, boolean isMissing, boolean isIntact, Optional<UUID> brokerId, String problem) {
    this.path = path;
    this.isMissing = isMissing;
    this.isIntact = isIntact;
    this.brokerId = brokerId;
    this.problem = problem;
  }

  /**
   * The broker's id, empty for a new directory; changes nothing.
   *
   * @throws LogDamagedException if there were such files, and none is as it was written
   * @throws IOException if they are another format's, or another broker's, or may not be read
   */
  static Optional<UUID> read(Disk disk, Path directory) throws IOException {
    return idOf(both(disk, directory));
  }

  /** As {@link #read}, makes an id for a new directory, and writes what is missing or damaged anew. */
  static UUID readAndRepair(Disk disk, Path directory) throws IOException {
    List<DirectoryProperties> both = both(disk, directory);
    Optional<UUID> known = idOf(both);
    UUID id = known.orElseGet(UUID::randomUUID);
    for (DirectoryProperties each : both) {
      if (each.isIntact) {
        continue;
      }
      try {
        WholeFile.replace(disk, each.path, content(id));
      } catch (IOException e) {
        if (known.isEmpty()) {
          throw e;
        }
        LOG.warn("copy of kaka.properties not written, next start tries again file={} cause={}", each.path, e.toString());
        continue;
      }
      if (!each.problem.isEmpty()) {
        LOG.warn("damaged file written anew from its other copy file={} problem=\"{}\"", each.path, each.problem);
      } else if (known.isPresent()) {
        LOG.info("kaka.properties written with its checksum, and its copy file={}", each.path);
      }
    }
    return id;
  }

  /** What is wrong with them, if something is; changes nothing. */
  static List<Finding> findings(Disk disk, Path directory) {
    List<Finding> findings = new ArrayList<>();
    try {
      List<DirectoryProperties> both = both(disk, directory);
      boolean isKnown = idOf(both).isPresent();
      for (DirectoryProperties each : both) {
        if (!each.problem.isEmpty()) {
          findings.add(
              new Finding(
                  Finding.Level.FAULT, each.path, 0, each.problem, "The next start writes it anew from its other copy"));
        } else if (each.isMissing) {
          findings.add(
              Finding.note(
                  each.path, "missing: the next start writes it, with " + (isKnown ? "what its other copy says" : "a new broker id")));
        } else if (!each.isIntact) {
          findings.add(Finding.note(each.path, "without its checksum: the next start adds it"));
        }
      }
    } catch (LogDamagedException e) {
      findings.add(Finding.of(e));
    } catch (IOException e) {
      findings.add(
          new Finding(
              Finding.Level.DAMAGE, directory.resolve(FILE), 0, String.valueOf(e.getMessage()), "A broker refuses to start with it"));
    }
    return findings;
  }

  private static List<DirectoryProperties> both(Disk disk, Path directory) throws IOException {
    return List.of(of(disk, directory.resolve(FILE)), of(disk, directory.resolve(COPY)));
  }

  private static Optional<UUID> idOf(List<DirectoryProperties> both) throws IOException {
    Set<UUID> ids = new LinkedHashSet<>();
    both.forEach(each -> each.brokerId.ifPresent(ids::add));
    if (ids.size() > 1) {
      throw new UnusableDirectoryException(
          both.get(0).path + " has broker.id=" + both.get(0).brokerId.orElseThrow() + ", but " + both.get(1).path + " has "
              + both.get(1).brokerId.orElseThrow() + ": delete the one that does not belong to this directory");
    }
    for (DirectoryProperties each : both) {
      if (ids.isEmpty() && !each.problem.isEmpty()) {
        throw new LogDamagedException(
            each.path,
            0,
            each.problem + ", and its other copy does not help",
            Advice.forText(each.path, "this kaka wrote what is here", content(UUID.randomUUID())));
      }
    }
    return ids.stream().findFirst();
  }

  private static DirectoryProperties of(Disk disk, Path path) throws IOException {
    if (!disk.exists(path)) {
      return new DirectoryProperties(path, true, false, Optional.empty(), "");
    }
    if (!disk.isFile(path)) {
      throw new UnusableDirectoryException(path + " is not a file");
    }
    String text;
    try {
      text = WholeFile.read(disk, path);
    } catch (AccessDeniedException e) {
      throw e;
    } catch (IOException e) { // the sector cannot be read, or the file is too large to be ours
      return damaged(path, "cannot be read: " + e.getMessage());
    }
    Matcher checked = CHECKED.matcher(text);
    boolean isIntact = checked.matches() && crcOf(checked.group(1)).equals(checked.group(2));
    if (!isIntact && text.contains("crc32c=")) {
      return damaged(path, "its checksum does not fit");
    }
    String lines = isIntact ? checked.group(1) : text;
    Matcher version = VERSION.matcher(lines);
    if (version.find() && Integer.parseInt(version.group(1)) > FORMAT_VERSION) {
      throw new UnusableDirectoryException(
          path + " has format.version=" + version.group(1) + ", this kaka knows up to " + FORMAT_VERSION + ": use a newer one");
    }
    Matcher known = LINES.matcher(lines);
    return known.matches()
        ? new DirectoryProperties(path, false, isIntact, Optional.of(UUID.fromString(known.group(1))), "")
        : damaged(path, "expected format.version=" + FORMAT_VERSION + ", broker.id and their checksum");
  }

  private static DirectoryProperties damaged(Path path, String problem) {
    return new DirectoryProperties(path, false, false, Optional.empty(), problem);
  }

  static String content(UUID brokerId) {
    String lines = "format.version=" + FORMAT_VERSION + "\nbroker.id=" + brokerId + "\n";
    return lines + "crc32c=" + crcOf(lines) + "\n";
  }

  private static String crcOf(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
