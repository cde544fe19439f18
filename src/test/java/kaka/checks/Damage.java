package kaka.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** One thing that a bad disk does to one file: a flipped bit, or a block of zeros. */
record Damage(String file, String kind, byte[] content) {
  private static final List<String> KINDS =
      List.of(
          ".*\\.log", ".*\\.log", ".*\\.index", ".*\\.timeindex", ".*/recovery-point", ".*/partition\\.metadata",
          ".*/log-start-offset", ".*\\.snapshot", ".*/clean-stop", "__topics-0/.*", "__topics-0/.*\\.log",
          "__offsets-0/.*", "__offsets-0/.*\\.log", "kaka\\.properties(\\.copy)?");

  /** Changes at least one byte. */
  static Damage random(Map<String, byte[]> files, Random random) {
    while (true) {
      String pattern = KINDS.get(random.nextInt(KINDS.size()));
      boolean isInternal = pattern.startsWith("__");
      List<String> names =
          files.keySet().stream()
              .filter(name -> name.matches(pattern) && files.get(name).length > 0)
              .filter(name -> isInternal || !name.startsWith("__"))
              .toList();
      if (names.isEmpty()) { // a killed broker leaves no clean-stop
        continue;
      }
      String name = names.get(random.nextInt(names.size()));
      byte[] before = files.get(name);
      byte[] after = before.clone();
      String what = change(after, random);
      if (!Arrays.equals(before, after)) {
        return new Damage(name, what, after);
      }
    }
  }

  private static String change(byte[] content, Random random) {
    int at = random.nextInt(content.length);
    int blockBytes =
        switch (random.nextInt(4)) {
          case 0 -> 512;
          case 1 -> 4096;
          default -> 0;
        };
    if (blockBytes == 0) {
      int bit = random.nextInt(8);
      content[at] ^= (byte) (1 << bit);
      return "bit " + bit + " of byte " + at + " flipped";
    }
    int from = at - at % blockBytes;
    int to = Math.min(content.length, from + blockBytes);
    Arrays.fill(content, from, to, (byte) 0);
    return "bytes " + from + " to " + (to - 1) + " zeroed";
  }

  /** The directory that the file is in; empty for a file of the data directory itself. */
  String directory() {
    return file.contains("/") ? file.substring(0, file.indexOf('/')) : "";
  }

  boolean isOfRegistry() {
    return directory().equals("__topics-0");
  }

  boolean isOfOffsets() {
    return directory().equals("__offsets-0");
  }

  void applyTo(Path data) throws IOException {
    Files.write(data.resolve(file), content);
  }

  /** The image's files with the damage in. */
  Map<String, byte[]> in(Map<String, byte[]> files) {
    Map<String, byte[]> damaged = new TreeMap<>(files);
    damaged.put(file, content);
    return damaged;
  }

  @Override
  public String toString() {
    return file + ": " + kind;
  }
}
