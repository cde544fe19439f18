package kaka.broker;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** All that is below a path, so that a test can say that nothing of it was touched: kinds, sizes, bytes, times of change. */
final class FileTree {
  private FileTree() {}

  /** Name, from {@code root} on, to what it is. */
  static Map<String, String> of(Path root) throws IOException {
    Map<String, String> tree = new TreeMap<>();
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return tree;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            add(directory, attributes);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            add(file, attributes);
            return FileVisitResult.CONTINUE;
          }

          private void add(Path path, BasicFileAttributes attributes) throws IOException {
            String what =
                attributes.isDirectory() ? "directory"
                    : attributes.isSymbolicLink() ? "link to " + Files.readSymbolicLink(path)
                    : attributes.isRegularFile() ? HexFormat.of().formatHex(Files.readAllBytes(path))
                    : "other";
            tree.put(root.relativize(path).toString(), attributes.lastModifiedTime() + " " + what);
          }
        });
    return tree;
  }
}
