package kaka.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives ids to idempotent producers, none twice: {@code producer-ids} in the data directory says from where on none was given.
 * Ids are taken from it in blocks of {@value #BLOCK}, each durable before the first id of it goes out; what a stop leaves of a
 * block is never given. Safe from any thread; blocks in a file operation once per block.
 *
 * <pre>
 * version: 0
 * next_producer_id: 1719204321000
 * crc32c: 1c291ca3                  of the lines above, hexadecimal
 * </pre>
 *
 * <p>Where the file is missing or damaged the ids begin anew at a block chosen by chance among 2^40: partitions remember the
 * ids that were given before, and a producer that was given one of those would have its records taken for old ones.
 */
public final class ProducerIds {
  static final int BLOCK = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(ProducerIds.class);
  static final String FILE = "producer-ids";
  private static final Pattern CONTENT =
      Pattern.compile("(version: 0\nnext_producer_id: (\\d{1,18})\n)crc32c: ([0-9a-f]{8})\n");

  private final Disk disk;
  private final Path file;
  private long next;
  private long blockEnd; // ids below it may be given
  private IOException failure; // null while the file can be written

  private ProducerIds(Disk disk, Path file, long next) {
    this.disk = disk;
    this.file = file;
    this.next = next;
    this.blockEnd = next;
  }

  /** Reads where to go on; writes nothing. @throws IOException if the file is there and cannot be read */
  public static ProducerIds open(Disk disk, Path dataDirectory) throws IOException {
    Path file = dataDirectory.resolve(FILE);
    if (!disk.exists(file)) {
      return new ProducerIds(disk, file, anywhere());
    }
    OptionalLong next = parse(WholeFile.read(disk, file));
    if (next.isEmpty()) {
      LOG.warn("producer ids damaged, they begin anew where none was given file={}", file);
    }
    return new ProducerIds(disk, file, next.orElseGet(ProducerIds::anywhere));
  }

  private static long anywhere() {
    return (new SecureRandom().nextLong() >>> 24) * BLOCK;
  }

  private static OptionalLong parse(String content) {
    Matcher matcher = CONTENT.matcher(content);
    return matcher.matches() && crcOf(matcher.group(1)).equals(matcher.group(3))
        ? OptionalLong.of(Long.parseLong(matcher.group(2)))
        : OptionalLong.empty();
  }

  /**
   * An id that was never given before.
   *
   * @throws IOException if the next block cannot be made durable; then for good, for a second sync after a failed one may lie
   */
  public synchronized long next() throws IOException {
    if (next == blockEnd) {
      takeBlock();
    }
    return next++;
  }

  private void takeBlock() throws IOException {
    if (failure != null) {
      throw new IOException("producer ids cannot be given: " + failure.getMessage(), failure);
    }
    try {
      String content = "version: 0\nnext_producer_id: " + (next + BLOCK) + "\n";
      WholeFile.replace(disk, file, content + "crc32c: " + crcOf(content) + "\n");
    } catch (IOException e) {
      failure = e;
      throw new IOException("producer ids cannot be given: " + e.getMessage(), e);
    }
    blockEnd = next + BLOCK;
  }

  private static String crcOf(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.US_ASCII));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
